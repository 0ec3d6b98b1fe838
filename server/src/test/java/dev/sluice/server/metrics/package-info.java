@NullMarked
package dev.sluice.server.metrics;

import org.jspecify.annotations.NullMarked;
