package dev.sluice.bench.chaos;

import dev.sluice.bench.report.Table;
import dev.sluice.redis.servers.RedisBinary;
import java.util.List;

/** The results as a table, with what its columns mean. */
final class ChaosReport {
    private ChaosReport() {}

    static String of(List<CallerResult> results, Schedule schedule, RedisBinary redis, Stalls stalls) {
        return """
                %s; timeout %d ms (the default is 50); %d keys with %d permits an hour each

                %s
                - longest: of all calls; bound: twice the timeout. This machine stood still for up to %d ms by itself, which is not held against a call.
                - thrown: exceptions that reached callers; none may.
                - by policy: calls decided without Redis. given up on: how often Redis was not asked for a while.
                - over: permits granted beyond the limit. By Redis: bounded by what a fault made it forget. By policy: local lets this process have the limit once more, allow sets no bound.
                - Redis again: from the end of the fault to the first decision by Redis. policy until: to the last one without.
                %s
                """.formatted(
                        redis,
                        schedule.timeout().toMillis(),
                        Traffic.KEYS,
                        schedule.permits(),
                        table(results),
                        CallerResult.millis(stalls.longestNanos()),
                        bounds(results));
    }

    private static String table(List<CallerResult> results) {
        return Table.<CallerResult>of("", "fault", result -> result.setting().fault())
                .text("client", result -> result.caller().clientName())
                .text("policy", result -> result.caller().policyName())
                .text("calls", result -> "%,d".formatted(result.calls().size()))
                .text(
                        "longest, ms (bound)",
                        result -> CallerResult.millis(result.longestNanos()) + " ("
                                + result.setting().schedule().longestCall().toMillis() + ")")
                .text("thrown", result -> "" + result.thrown())
                .text(
                        "allowed / denied / local by policy",
                        result -> result.counters().allowedByPolicy() + " / "
                                + result.counters().deniedByPolicy() + " / "
                                + result.counters().decidedLocally())
                .text("given up on", result -> "" + result.counters().timesOpened())
                .text("over by Redis (bound)", result -> result.overByRedis() + " (" + result.boundByRedis() + ")")
                .text("over by policy (bound)", ChaosReport::overByPolicy)
                .text(
                        "fault, ms",
                        result -> ""
                                + CallerResult.millis(result.setting().endedNanos()
                                        - result.setting().beganNanos()))
                .text("Redis again, ms", ChaosReport::redisAgain)
                .text("policy until, ms", result -> "" + CallerResult.millis(result.policyUntilNanos()))
                .rows(results)
                .withTextColumns(3)
                .grid();
    }

    private static String overByPolicy(CallerResult result) {
        String bound =
                result.boundByPolicy().isPresent() ? "" + result.boundByPolicy().getAsLong() : "any";
        return result.overByPolicy() + " (" + bound + ")";
    }

    private static String redisAgain(CallerResult result) {
        return result.normalAfterNanos().isPresent()
                ? "" + CallerResult.millis(result.normalAfterNanos().getAsLong())
                : "never";
    }

    private static String bounds(List<CallerResult> results) {
        StringBuilder text = new StringBuilder();
        for (Forgets forgets : List.of(Forgets.EVERYTHING, Forgets.LAST_SECOND)) {
            List<String> faults = results.stream()
                    .filter(result -> result.setting().forgets() == forgets)
                    .map(result -> result.setting().fault())
                    .distinct()
                    .toList();
            if (!faults.isEmpty()) {
                text.append("- bound of %s: %s.\n".formatted(String.join(", ", faults), forgets.why));
            }
        }
        return text.toString();
    }
}
