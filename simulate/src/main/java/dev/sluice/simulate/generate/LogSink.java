package dev.sluice.simulate.generate;

import java.io.IOException;

/** Takes the requests of a generated log, in the order of their times. */
@FunctionalInterface
public interface LogSink {
    void accept(GeneratedRequest request) throws IOException;
}
