/** Traces of checks by OpenTelemetry, loaded only if they are asked for. */
@NullMarked
package dev.sluice.server.trace;

import org.jspecify.annotations.NullMarked;
