package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spring.RunningApp;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often a request with a rule on its status asks Redis. */
class WrongPasswordsCallsTest {
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
    private static final int REQUESTS = 20;

    private static long scripts(RedisServer redis) {
        return SCRIPTS.matcher(redis.text("INFO", "commandstats"))
                .results()
                .map(MatchResult::group)
                .mapToLong(found -> Long.parseLong(found.substring(found.indexOf('=') + 1)))
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void aRequestMakesFewCalls(Stack stack) {
        try (RedisServer redis = RedisServer.start();
                RunningApp app = stack.start(
                        List.of(LoginApp.class),
                        "sluice.store=" + redis.url(),
                        "sluice.redis.timeout=5s",
                        "sluice.rules[0].name=wrong-passwords",
                        "sluice.rules[0].when.path=/login/**",
                        "sluice.rules[0].when.status=401",
                        "sluice.rules[0].key=ip",
                        "sluice.rules[0].limits=1000 per 10m")) {
            app.statuses(2, "POST", "/login/now?ok=false");
            // the limit, a place, the limit and the excess, and the place is free again
            assertThat(calls(redis, app, true)).isBetween(4.5, 5.5);
            // and the charge
            assertThat(calls(redis, app, false)).isBetween(5.5, 6.5);
        }
    }

    /** How many scripts Redis runs for a request, on average. */
    private static double calls(RedisServer redis, RunningApp app, boolean right) {
        long before = scripts(redis);
        assertThat(app.statuses(REQUESTS, "POST", "/login/now?ok=" + right)).containsOnly(right ? 200 : 401);
        return (scripts(redis) - before) / (double) REQUESTS;
    }
}
