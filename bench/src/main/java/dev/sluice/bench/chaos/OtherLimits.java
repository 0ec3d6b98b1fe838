package dev.sluice.bench.chaos;

import dev.sluice.Limit;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A fleet that rolls from one version of a rule to another: half of it has another algorithm and other numbers. Together
 * they may grant the sum of both, which is the number of permits of the other scenarios.
 */
final class OtherLimits implements Scenario {
    private static final Duration PERIOD = Duration.ofDays(1);

    @Override
    public String name() {
        return "half the fleet on other limits";
    }

    @Override
    public List<CallerResult> run(Schedule schedule, Stalls stalls) {
        int permits = schedule.permits();
        try (RedisServer server = RedisServer.start();
                Traffic old = prepare(server, schedule, Limit.slidingLog(permits / 2, PERIOD));
                Traffic next = prepare(server, schedule, Limit.slidingWindow(permits - permits / 2, PERIOD))) {
            long began = System.nanoTime();
            old.begin();
            next.begin();
            Scenario.pause(schedule.before().plus(schedule.after()));
            List<Call> calls = new ArrayList<>(old.stop());
            calls.addAll(next.stop());
            CallerResult.Setting setting =
                    new CallerResult.Setting(name(), schedule, Forgets.NOTHING, false, began, began, began);
            return List.of(CallerResult.of(setting, old, calls, stalls));
        }
    }

    private static Traffic prepare(RedisServer server, Schedule schedule, Limit limit) {
        return Traffic.prepare(Caller.LETTUCE, server.url(), "chaos-versions", limit, schedule.timeout(), key -> true);
    }
}
