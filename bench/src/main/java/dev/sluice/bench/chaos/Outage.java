package dev.sluice.bench.chaos;

import dev.sluice.Limit;
import dev.sluice.redis.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A fault of the servers: all is well, it happens, it is mended, all is well again.
 *
 * @param parties who is asking meanwhile, each through a store of its own
 * @param forgets what Redis no longer knows afterwards
 * @param isFelt whether some calls must be decided by the policy
 * @param start starts the servers
 */
record Outage(String name, List<Party> parties, Forgets forgets, boolean isFelt, Supplier<Fault> start)
        implements Scene {
    private static final Duration TO_BE_NORMAL = Duration.ofSeconds(30);

    @Override
    public List<Row> play(Effort effort, Stalls stalls) {
        List<Traffic> all = new ArrayList<>();
        try (Fault fault = start.get()) {
            Limit limit = Limit.slidingLog(effort.permits(), Duration.ofHours(1));
            for (Party party : parties) {
                String limiter = "chaos-" + party.clientName() + "-" + party.policyName();
                all.add(Traffic.prepare(party, fault.url(), limiter, limit, effort.timeout(), fault::hits));
            }
            all.forEach(Traffic::begin);
            Scene.pause(effort.before());
            long began = System.nanoTime();
            fault.begin();
            long begun = System.nanoTime();
            Scene.pause(fault.lasts(effort));
            fault.end();
            long ended = System.nanoTime();
            awaitNormal(all, ended);
            Scene.pause(effort.after());
            Row.Setting setting = new Row.Setting(name, effort, forgets, isFelt, began, begun, ended);
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                Traffic traffic = all.get(i);
                List<Call> calls = traffic.stop();
                rows.add(Row.of(setting, parties.get(i), calls, traffic.counters(), traffic.thrown(), stalls));
            }
            return rows;
        } finally {
            all.forEach(Traffic::close);
        }
    }

    /** Or gives up: the rows will say so. */
    private static void awaitNormal(List<Traffic> all, long endedNanos) {
        try {
            Eventually.holds(
                    "Redis decides again",
                    TO_BE_NORMAL,
                    () -> all.stream().allMatch(traffic -> traffic.isDecidedByRedisAfter(endedNanos)));
        } catch (AssertionError e) {
            // told by Row.breaches
        }
    }
}
