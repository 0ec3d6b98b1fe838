/** What the server counts and measures, and all of its metrics for Prometheus. */
@NullMarked
package dev.sluice.server.metrics;

import org.jspecify.annotations.NullMarked;
