package dev.sluice.redis;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever somebody writes in place of a state: no key is denied for longer than its limit explains. */
@Timeout(300)
@Tag("slow")
class DamagedStatesTest {
    /** A period and a slice: a permit of a sliding window leaves with the end of its slice. */
    private static final long LONGEST_MICROS = 70_000_000;
    /** A state may claim to last a second longer than its key. */
    private static final long SLACK_MICROS = 1_100_000;

    private static final String EDIT = "local v = redis.call('GET', KEYS[1]) local p = redis.call('PTTL', KEYS[1]) ";
    private static final String SAVE = " redis.call('SET', KEYS[1], v, 'PX', p) return 1";

    /** An instant that the time to live of a state could explain. */
    private static final String SOON = "redis.call('TIME')[1] * 1000000 + 48000000";

    private static RedisServer server;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        store = RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .lease(ofSeconds(30))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @AfterAll
    static void stop() {
        store.close();
        server.close();
    }

    private static final List<Limit> LIMITS = List.of(
            Limit.fixedWindow(5, ofMinutes(1)),
            Limit.fixedWindow(5, ofMinutes(1)).aligned(),
            Limit.slidingWindow(5, ofMinutes(1), 6),
            Limit.slidingWindow(5, ofMinutes(1), 6).weighted(),
            Limit.slidingLog(5, ofMinutes(1)),
            Limit.slidingLog(500, ofMinutes(1)),
            Limit.tokenBucket(5, ofMinutes(1)),
            Limit.leakyBucket(5, ofMinutes(1)),
            Limit.leakyBucket(5, ofMinutes(1)).queue(),
            Limit.concurrency(5));

    private static List<String> damages(Random random) {
        List<String> damages = new ArrayList<>(List.of(
                "redis.call('PERSIST', KEYS[1]) return 1",
                EDIT + "redis.call('SET', KEYS[1], v) return 1",
                EDIT + "v = ''" + SAVE,
                EDIT + "v = 'x'" + SAVE,
                EDIT + "v = string.rep('x', 49)" + SAVE,
                EDIT + "v = string.rep(v, 3)" + SAVE,
                EDIT + "v = v .. string.rep('\\0', 8)" + SAVE,
                EDIT + "v = string.rep('L', 100000)" + SAVE,
                EDIT + "v = 'W' .. string.rep('z', 80000)" + SAVE,
                EDIT + "v = string.sub(v, 1, 1) .. string.reverse(string.sub(v, 2))" + SAVE,
                "redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'a') return 1",
                "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], 'a', 'b') return 1",
                "redis.call('SET', KEYS[1], '5') return 1"));
        for (int i = 0; i < 6; i++) {
            damages.add(EDIT + "v = string.sub(v, 1, math.floor(#v * %s))".formatted(random.nextDouble()) + SAVE);
            damages.add(EDIT
                    + ("local at = math.floor(#v * %s) + 1 "
                                    + "v = string.sub(v, 1, at - 1) .. string.char(%d) .. string.sub(v, at + 1)")
                            .formatted(random.nextDouble(), random.nextInt(256))
                    + SAVE);
        }
        for (int field = 0; field < 9; field++) {
            for (String number : List.of("0/0", "1/0", "-1/0", "-1", "1e300", "2^53", "2e15", "0.5", SOON)) {
                String edit = EDIT
                        + "if #v > %d then v = string.sub(v, 1, %d) .. struct.pack('<d', %s) .. string.sub(v, %d) end"
                                .formatted(8 * field, 1 + 8 * field, number, 10 + 8 * field);
                damages.add(edit + SAVE);
                damages.add(edit + " redis.call('SET', KEYS[1], v) return 1");
            }
        }
        return damages;
    }

    @Test
    void noDamagedStateDeniesForLongerThanTheLimitExplains() {
        long before = store.setup().combiner().damagedStates().count();
        long failuresBefore = store.counters().failures();
        int tried = 0;
        for (int i = 0; i < LIMITS.size(); i++) {
            Limit limit = LIMITS.get(i);
            Limiter limiter = store.limiter("damaged" + i, limit);
            for (String damage : damages(new Random(i))) {
                tried++;
                String key = "k" + tried;
                long use = limit.capacity() - tried % 2;
                Decision taken = limiter.decide(key, use);
                assertThat(taken.allowed()).isTrue();
                String name = server.keys().stream()
                        .filter(each -> each.contains(":" + key + "}"))
                        .findFirst()
                        .orElseThrow();
                server.command("EVAL", damage, "1", name);
                assertExplained(limiter.peek(key, 1), limit, damage);
                if (tried % 3 == 0) {
                    limiter.refund(key, taken);
                    assertExplained(limiter.peek(key, 1), limit, damage + " and a refund");
                }
                boolean allowed = false;
                for (int call = 0; call < 8; call++) {
                    Decision decision = limiter.decide(key, 1);
                    assertExplained(decision, limit, damage);
                    allowed |= decision.allowed() && decision.resetAfterMicros() > SLACK_MICROS;
                }
                long millis = server.number("PTTL", name);
                assertThat(millis)
                        .as("time to live of %s after %s", limit, damage)
                        .isLessThan((LONGEST_MICROS + jumpMicros(limit, damage) + SLACK_MICROS) / 1000);
                assertThat(allowed && millis == -1)
                        .as("written without an expiry: %s after %s", limit, damage)
                        .isFalse();
                server.command("DEL", name);
            }
        }
        assertThat(store.counters().deniedByPolicy())
                .as("calls without a decision")
                .isZero();
        assertThat(store.counters().failures() - failuresBefore)
                .as("calls that ended with an error, refunds among them")
                .isZero();
        assertThat(store.setup().combiner().damagedStates().count() - before)
                .as("damaged states that were counted, of %d", tried)
                .isGreaterThan(tried / 3);
    }

    /**
     * How far ahead of the clock the damage may set the last instant of a state: no further than its time to live. A state
     * looks the same after a clock was set back by as much, and then locks a key for the jump and one period. In a window, the
     * newest slice tells.
     */
    private static long jumpMicros(Limit limit, String damage) {
        boolean maySetAnInstant = damage.contains(SOON) || damage.contains("string.char");
        return maySetAnInstant && !(limit instanceof Limit.SlidingWindow) ? LONGEST_MICROS : 0;
    }

    private static void assertExplained(Decision decision, Limit limit, String damage) {
        assertThat(decision.source()).as("%s after %s", limit, damage).isNotEqualTo(Decision.Source.FAILURE_POLICY);
        assertThat(List.of(decision.retryAfterMicros(), decision.resetAfterMicros(), decision.delayMicros()))
                .as("times of %s on %s after %s", decision, limit, damage)
                .allMatch(micros -> micros >= 0 && micros <= LONGEST_MICROS + jumpMicros(limit, damage) + SLACK_MICROS);
    }

    /** A script decides requests for many keys. */
    @Test
    void aDamagedStateIsNoMatterToOtherKeysInTheSameScript() {
        int tried = 0;
        for (int i = 0; i < LIMITS.size(); i++) {
            Limit limit = LIMITS.get(i);
            Limiter limiter = store.limiter("beside" + i, limit);
            for (String damage : damages(new Random(LIMITS.size() + i))) {
                String key = "d" + ++tried;
                limiter.decide(key, 1);
                String name = server.keys().stream()
                        .filter(each -> each.contains(":" + key + "}"))
                        .findFirst()
                        .orElseThrow();
                server.command("EVAL", damage, "1", name);
                List<CompletableFuture<Decision>> asked = new ArrayList<>();
                asked.add(limiter.peekAsync("first", 1)); // the next ones wait for its reply
                for (int request = 0; request < 3; request++) {
                    asked.add(limiter.decideAsync(key, 1));
                    asked.add(limiter.peekAsync(key, 2));
                    asked.add(limiter.decideAsync("other" + tried, 1));
                }
                asked.forEach(each -> assertExplained(each.join(), limit, damage));
                assertThat(limiter.peek("other" + tried, 0).remaining()).isEqualTo(limit.capacity() - 3);
                server.command("DEL", name);
            }
        }
    }

    @Test
    void severalLimitersAreAskedAgainToo() {
        Limiter one = store.limiter("one", Limit.tokenBucket(5, ofMinutes(1)));
        Limiter other = store.limiter("other", Limit.slidingLog(5, ofMinutes(1)));
        List<Charge> request = List.of(new Charge(one, "k", 1), new Charge(other, "k", 1));
        assertThat(store.decideAll(request).join()).allMatch(Decision::allowed);
        server.command("SET", "sluice:{one:k}:2T1m", "nonsense");
        assertThat(store.decideAll(request).join()).allMatch(Decision::allowed);
        assertThat(one.peek("k", 0).remaining()).isEqualTo(4);
        assertThat(other.peek("k", 0).remaining()).isEqualTo(3);
    }
}
