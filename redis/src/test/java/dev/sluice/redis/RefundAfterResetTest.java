package dev.sluice.redis;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.RedisServer;
import java.time.ZoneOffset;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A state that was deleted has forgiven its permits: refunding one of them later gives back nothing of others. */
@Timeout(60)
class RefundAfterResetTest {
    private static RedisServer server;
    private static RedisStore here;
    private static RedisStore there;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        here = connected();
        there = connected();
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        server.close();
    }

    private static RedisStore connected() {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .onFailure(OnFailure.DENY)
                .build();
    }

    /** So long that nothing comes back and no window ends during a test. */
    static Stream<Limit> limits() {
        return Stream.of(
                Limit.fixedWindow(10, ofHours(5)),
                Limit.fixedWindow(10, ofDays(3650)).aligned(),
                Limit.fixedWindow(10, ofDays(7)).aligned(ZoneOffset.UTC),
                Limit.slidingWindow(10, ofHours(5), 5),
                Limit.slidingWindow(10, ofHours(5), 10).weighted(),
                Limit.slidingLog(10, ofHours(5)),
                Limit.tokenBucket(10, ofDays(100)),
                Limit.leakyBucket(10, ofDays(100)),
                Limit.leakyBucket(10, ofDays(100)).queue(),
                Limit.concurrency(10));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whatAResetForgaveIsNotRefundedToo(Limit limit) {
        forgives(limit, "reset", Limiter::reset);
        forgives(
                limit,
                "reset-elsewhere",
                (limiter, key) -> there.limiter("reset-elsewhere", limit).reset(key));
        forgives(limit, "flushed", (limiter, key) -> server.command("FLUSHALL"));
    }

    private static void forgives(Limit limit, String name, BiConsumer<Limiter, String> reset) {
        Limiter limiter = here.limiter(name, limit);
        String key = limit.toString();
        Decision forgiven = limiter.decide(key, 6);
        Decision part = limiter.decide(key, 2);
        reset.accept(limiter, key);
        assertThat(limiter.decide(key, 9).allowed()).isTrue();
        limiter.refund(key, forgiven);
        limiter.refund(key, part, 1);
        assertThat(limiter.peek(key, 0).remaining()).as(name).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whatWasTakenAfterAResetIsRefunded(Limit limit) {
        Limiter limiter = here.limiter("after", limit);
        String key = limit.toString();
        limiter.decide(key, 6);
        limiter.reset(key);
        Decision first = limiter.decide(key, 4);
        Decision second = limiter.decide(key, 5);
        limiter.refund(key, second);
        limiter.refund(key, first);
        assertThat(limiter.peek(key, 0).remaining()).isEqualTo(10);
        assertThat(limiter.decide(key, 10).allowed()).isTrue();
    }

    @Test
    void aPermitOfTheWindowBeforeIsNotRefundedToTheNext() throws InterruptedException {
        Limiter limiter =
                here.limiter("next", Limit.fixedWindow(3, ofSeconds(1)).aligned());
        Decision before = limiter.acquire("k", 3, ofSeconds(3));
        assertThat(before.allowed()).isTrue();
        assertThat(limiter.acquire("k", 3, ofSeconds(3)).allowed()).isTrue();
        limiter.refund("k", before);
        Decision after = limiter.peek("k", 0);
        assertThat(after.remaining() == 0 || after.resetAfterMicros() == 0)
                .as("nothing is given back, unless the window has ended")
                .isTrue();
    }
}
