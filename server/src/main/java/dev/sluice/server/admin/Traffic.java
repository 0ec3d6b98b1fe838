package dev.sluice.server.admin;

import dev.sluice.rules.Leases;
import dev.sluice.rules.RuleEngine;
import dev.sluice.server.envoy.GrpcStatuses;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.HttpCounters;
import java.util.function.LongSupplier;

/**
 * What passes through the ports of a server.
 *
 * @param http counts connections, responses and bytes
 * @param grpc counts the calls of the rate limit service
 * @param rejectedConnections how many connections were closed at once, because there were too many
 * @param budget the memory of unfinished bodies
 * @param leases the holds that were granted over the network
 */
public record Traffic(
        HttpCounters http, GrpcStatuses grpc, LongSupplier rejectedConnections, BodyBudget budget, Leases leases) {
    /** No ports. */
    public static Traffic none(RuleEngine engine) {
        return new Traffic(
                new HttpCounters(), new GrpcStatuses(), () -> 0, new BodyBudget(Bounds.DEFAULTS), engine.leases());
    }
}
