package dev.sluice.server.admin;

import dev.sluice.server.envoy.GrpcStatuses;
import dev.sluice.server.web.HttpCounters;
import java.util.function.LongSupplier;

/**
 * What passes through the ports of a server.
 *
 * @param http counts connections, responses and bytes
 * @param grpc counts the calls of the rate limit service
 * @param rejectedConnections how many connections were closed at once, because there were too many
 * @param holds how many holds are open that were granted over HTTP
 */
public record Traffic(HttpCounters http, GrpcStatuses grpc, LongSupplier rejectedConnections, LongSupplier holds) {
    /** No ports. */
    public static Traffic none() {
        return new Traffic(new HttpCounters(), new GrpcStatuses(), () -> 0, () -> 0);
    }
}
