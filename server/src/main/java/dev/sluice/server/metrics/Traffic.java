package dev.sluice.server.metrics;

import dev.sluice.rules.engine.Leases;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.envoy.GrpcStatuses;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.ConnectionMemory;
import dev.sluice.server.web.HttpCounters;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What passes through the ports of a server.
 *
 * @param http counts connections, responses and bytes
 * @param grpc counts the calls of the rate limit service
 * @param rejectedConnections how many connections were closed at once, because there were too many
 * @param notReady how many requests were told that the server is going away
 * @param budget the memory of unfinished bodies
 * @param memory bounds the memory of connections
 * @param leases the holds that were granted over the network
 */
public record Traffic(
        HttpCounters http,
        GrpcStatuses grpc,
        LongSupplier rejectedConnections,
        LongSupplier notReady,
        BodyBudget budget,
        ConnectionMemory memory,
        Leases leases) {
    private static final Set<String> ERRORS = Set.of("UNKNOWN", "INTERNAL", "UNAVAILABLE", "DATA_LOSS");
    private static final int FIRST_ERROR = 500;

    /** How many requests to the data port ended with an error of the server. */
    public long errors() {
        HttpCounters.Port data = http.ports().get("data");
        long all = -notReady.getAsLong();
        if (data != null) {
            for (Map.Entry<Integer, Long> status : data.responses().entrySet()) {
                all += status.getKey() >= FIRST_ERROR ? status.getValue() : 0;
            }
        }
        for (Map.Entry<String, Long> code : grpc.byName().entrySet()) {
            all += ERRORS.contains(code.getKey()) ? code.getValue() : 0;
        }
        return Math.max(0, all);
    }

    /** No ports. */
    public static Traffic none(RuleEngine engine) {
        return new Traffic(
                new HttpCounters(),
                new GrpcStatuses(),
                () -> 0,
                () -> 0,
                new BodyBudget(Bounds.DEFAULTS),
                new ConnectionMemory(Bounds.DEFAULTS),
                engine.leases());
    }
}
