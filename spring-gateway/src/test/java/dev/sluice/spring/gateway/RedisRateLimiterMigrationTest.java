package dev.sluice.spring.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/**
 * docs/migrate/spring-cloud-gateway.md. The script of the gateway's {@code RedisRateLimiter} runs on a real Redis and is
 * given the time of a clock, which it takes as an argument; then both limiters stand in one gateway.
 */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class RedisRateLimiterMigrationTest {
    private static final Path PAGE = Path.of("../docs/migrate/spring-cloud-gateway.md");
    private static final String SCRIPT = "META-INF/scripts/request_rate_limiter.lua";

    private static RedisServer redis;
    private static RedisClient client;
    private static RedisCommands<String, String> commands;
    private static String script;

    private final ManualClock clock = new ManualClock();

    @BeforeAll
    static void start() throws IOException {
        redis = RedisServer.start();
        client = RedisClient.create(redis.url());
        commands = client.connect().sync();
        try (InputStream in =
                RedisRateLimiterMigrationTest.class.getClassLoader().getResourceAsStream(SCRIPT)) {
            script = new String(Objects.requireNonNull(in, SCRIPT).readAllBytes(), UTF_8);
        }
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        redis.close();
    }

    @BeforeEach
    void empty() {
        commands.flushall();
    }

    private boolean theirs(long replenishRate, long burstCapacity, long requestedTokens) {
        List<Object> answer = commands.eval(
                script,
                ScriptOutputType.MULTI,
                new String[] {"{k}.tokens", "{k}.timestamp"},
                String.valueOf(replenishRate),
                String.valueOf(burstCapacity),
                String.valueOf(Duration.ofNanos(clock.nanos()).toSeconds()),
                String.valueOf(requestedTokens));
        return answer.get(0).equals(1L);
    }

    /** The key that it keeps expires in real time, of which the trace takes little. */
    @ParameterizedTest
    @CsvSource({"1, 60, 3", "5, 200, 7", "10, 100, 1"})
    void atWholeSecondsTheDecisionsAreThoseOfATokenBucket(long rate, long burst, long requested) {
        Limiter limiter = Limiter.local(
                clock, Limit.tokenBucket(rate, Duration.ofSeconds(1)).burst(burst));
        Random random = new Random(rate);
        int denied = 0;
        for (int request = 0; request < 1000; request++) {
            if (random.nextInt((int) (2 * rate)) == 0) {
                clock.advance(Duration.ofSeconds(1));
            }
            boolean allowed = theirs(rate, burst, requested);
            assertThat(limiter.tryAcquire(requested)).as("request %s", request).isEqualTo(allowed);
            denied += allowed ? 0 : 1;
        }
        assertThat(denied).isBetween(50, 950);
    }

    /** The page: its clock has whole seconds. */
    @Test
    void betweenWholeSecondsItReturnsNothing() {
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(10, Duration.ofSeconds(1)));
        List<Boolean> gateway = new ArrayList<>();
        List<Boolean> sluice = new ArrayList<>();
        for (int tenth = 0; tenth < 3; tenth++) {
            int permits = tenth == 0 ? 10 : 1;
            gateway.add(theirs(10, 10, permits));
            sluice.add(limiter.tryAcquire(permits));
            clock.advance(Duration.ofMillis(100));
        }
        assertThat(gateway).containsExactly(true, false, false);
        assertThat(sluice).containsExactly(true, true, true);
    }

    /** The page: a key that would expire in less than a second is not written. */
    @Test
    void aSmallBurstTurnsItOff() {
        Limiter limiter = Limiter.local(
                clock, Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(4));
        for (int request = 0; request < 100; request++) {
            assertThat(theirs(10, 4, 1)).isTrue();
            assertThat(limiter.tryAcquire()).isEqualTo(request < 4);
        }
    }

    @Test
    void bothInOneGatewayDecideAsThePageSays() throws Exception {
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.route(0, "before", arguments(0)),
                RunningGateway.route(1, "after", arguments(1)),
                List.of("--spring.data.redis.url=" + redis.url()))) {
            assertThat(gateway.statuses(3, "/before/a", "ann")).containsExactly(200, 200, 429);
            assertThat(gateway.statuses(3, "/after/a", "ann")).containsExactly(200, 200, 429);
            assertThat(gateway.statuses(1, "/before/a", "bob")).containsExactly(200);
            assertThat(gateway.statuses(1, "/after/a", "bob")).containsExactly(200);
            assertThat(gateway.get("/before/a", "X-User", "ann").headers().firstValue("Retry-After"))
                    .isEmpty();
            assertThat(gateway.get("/after/a", "X-User", "ann").headers().firstValue("Retry-After"))
                    .isPresent();
        }
    }

    /** The arguments of the filter in a snippet of the page. The gateway that tests start has both limiters. */
    private static String[] arguments(int snippet) throws IOException {
        String yaml = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(PAGE))
                .results()
                .skip(snippet)
                .findFirst()
                .orElseThrow()
                .group(1);
        List<Map<String, Map<String, Object>>> filters = new Yaml().load(yaml);
        List<String> arguments = new ArrayList<>();
        Objects.requireNonNull(filters.get(0).get("args")).forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments.toArray(String[]::new);
    }
}
