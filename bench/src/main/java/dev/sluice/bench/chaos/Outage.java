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
 * @param callers who calls meanwhile, each through a store of its own
 * @param forgets what Redis no longer knows afterwards
 * @param isFelt whether some calls must be decided by the policy
 * @param start starts the servers
 */
record Outage(String name, List<Caller> callers, Forgets forgets, boolean isFelt, Supplier<Fault> start)
        implements Scenario {
    private static final Duration TO_BE_NORMAL = Duration.ofSeconds(30);

    @Override
    public List<CallerResult> run(Schedule schedule, Stalls stalls) {
        List<Traffic> all = new ArrayList<>();
        try (Fault fault = start.get()) {
            Limit limit = Limit.slidingLog(schedule.permits(), Duration.ofHours(1));
            for (Caller caller : callers) {
                String limiter = "chaos-" + caller.clientName() + "-" + caller.policyName();
                all.add(Traffic.prepare(caller, fault.url(), limiter, limit, schedule.timeout(), fault.affects()));
            }
            all.forEach(Traffic::begin);
            Scenario.pause(schedule.before());
            long began = System.nanoTime();
            fault.begin().run();
            long begun = System.nanoTime();
            Scenario.pause(fault.mendsItself() ? Duration.ZERO : schedule.fault());
            fault.end().run();
            long ended = System.nanoTime();
            awaitNormal(all, ended);
            Scenario.pause(schedule.after());
            CallerResult.Setting setting =
                    new CallerResult.Setting(name, schedule, forgets, isFelt, began, begun, ended);
            return all.stream()
                    .map(traffic -> CallerResult.of(setting, traffic, traffic.stop(), stalls))
                    .toList();
        } finally {
            all.forEach(Traffic::close);
        }
    }

    /** Or gives up: {@link CallerResult#breaches} reports it. */
    private static void awaitNormal(List<Traffic> all, long endedNanos) {
        try {
            Eventually.holds(
                    "Redis decides again",
                    TO_BE_NORMAL,
                    () -> all.stream().allMatch(traffic -> traffic.isDecidedByRedisAfter(endedNanos)));
        } catch (AssertionError e) {
            // reported by the breaches
        }
    }
}
