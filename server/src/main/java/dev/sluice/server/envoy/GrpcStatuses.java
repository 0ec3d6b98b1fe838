package dev.sluice.server.envoy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the gRPC calls by the status that they were answered with. */
public final class GrpcStatuses {
    private static final List<String> NAMES = List.of(
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");

    private final List<LongAdder> counts =
            NAMES.stream().map(name -> new LongAdder()).toList();

    /** Counts a call; {@code code} is the number of the status. */
    void count(int code) {
        counts.get(code).increment();
    }

    /** The counts of all statuses that were sent, and of OK, by name. */
    public Map<String, Long> byName() {
        Map<String, Long> byName = new LinkedHashMap<>();
        for (int code = 0; code < NAMES.size(); code++) {
            long count = counts.get(code).sum();
            if (count > 0 || code == 0) {
                byName.put(NAMES.get(code), count);
            }
        }
        return byName;
    }
}
