package dev.sluice.server.trace;

import dev.sluice.server.check.CheckListener;
import dev.sluice.server.envoy.CallListener;

/** Makes a span of every check. */
public interface CheckTracer extends CheckListener, CallListener, AutoCloseable {
    /** Sends the spans that were not sent yet, and stops. */
    @Override
    void close();
}
