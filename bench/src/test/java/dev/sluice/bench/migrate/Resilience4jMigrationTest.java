package dev.sluice.bench.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/migrate/resilience4j.md. */
class Resilience4jMigrationTest {
    private final ManualClock clock = new ManualClock();

    @Test
    void before() {
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(50)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Duration.ofMillis(200))
                .build();
        RateLimiter limiter = RateLimiter.of("search", config);
        String answer;
        try {
            answer = limiter.executeSupplier(() -> search("sluice"));
        } catch (RequestNotPermitted e) {
            answer = "too many searches";
        }
        assertThat(answer).isEqualTo("results for sluice");
    }

    @Test
    void after() throws InterruptedException {
        Limiter limiter = Limiter.local(Limit.slidingWindow(50, Duration.ofSeconds(1)));
        String answer =
                limiter.call("", 1, Duration.ofMillis(200), () -> search("sluice"), denied -> "too many searches");
        assertThat(answer).isEqualTo("results for sluice");
    }

    private static String search(String words) {
        return "results for " + words;
    }

    private AtomicRateLimiter theirs(int permits, Duration period, Duration timeout) {
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(period)
                .timeoutDuration(timeout)
                .build();
        return new AtomicRateLimiter("test", config, clock::nanos);
    }

    private Limiter ours(long permits, Duration period) {
        return Limiter.builder(Limit.fixedWindow(permits, period).aligned())
                .clock(clock)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"10, 1000", "1, 100", "7, 700", "1000, 60000"})
    void withoutAWaitTheDecisionsAreThoseOfAnAlignedWindow(int permits, long periodMillis) {
        Duration period = Duration.ofMillis(periodMillis);
        AtomicRateLimiter resilience4j = theirs(permits, period, Duration.ZERO);
        Limiter limiter = ours(permits, period);
        Random random = new Random(permits);
        int denied = 0;
        for (int request = 0; request < 5000; request++) {
            clock.advance(Duration.ofMillis(random.nextInt((int) (2 * periodMillis / permits))));
            int cost = 1 + random.nextInt(Math.min(3, permits));
            boolean allowed = resilience4j.acquirePermission(cost);
            assertThat(limiter.tryAcquire(cost)).as("request %s", request).isEqualTo(allowed);
            assertThat(limiter.peek("", 0).remaining())
                    .isEqualTo(resilience4j.getMetrics().getAvailablePermissions());
            denied += allowed ? 0 : 1;
        }
        assertThat(denied).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"10, 1000, 500", "10, 1000, 3000", "1, 100, 250"})
    void withAWaitTheTurnsAreTheSame(int permits, long periodMillis, long timeoutMillis) {
        Duration timeout = Duration.ofMillis(timeoutMillis);
        AtomicRateLimiter resilience4j = theirs(permits, Duration.ofMillis(periodMillis), timeout);
        Limiter limiter = ours(permits, Duration.ofMillis(periodMillis));
        List<CompletableFuture<Decision>> turns = new ArrayList<>();
        Random random = new Random(permits);
        for (int request = 0; request < 2000; request++) {
            clock.advance(Duration.ofMillis(random.nextInt((int) (2 * periodMillis / permits))));
            long wait = resilience4j.reservePermission(1); // negative: refused
            long asked = clock.nanos();
            CompletableFuture<Decision> turn = limiter.acquireAsync(1, timeout);
            if (wait <= 0) {
                assertThat(turn.join().allowed()).as("request %s", request).isEqualTo(wait == 0);
            } else {
                assertThat(turn).as("request %s", request).isNotDone();
                turns.add(turn.whenComplete(
                        (decision, failure) -> assertThat(clock.nanos() - asked).isEqualTo(wait)));
            }
        }
        clock.advance(timeout);
        assertThat(turns)
                .isNotEmpty()
                .allSatisfy(turn -> assertThat(turn).isCompletedWithValueMatching(Decision::allowed));
    }

    /** The page: the boundary. */
    @Test
    void twiceTheLimitPassesAtTheTurnOfAPeriodAndNotInASlidingWindow() {
        AtomicRateLimiter resilience4j = theirs(50, Duration.ofSeconds(1), Duration.ZERO);
        Limiter sliding = Limiter.local(clock, Limit.slidingWindow(50, Duration.ofSeconds(1)));
        clock.advance(Duration.ofMillis(990));
        assertThat(resilience4j.acquirePermission(50)).isTrue();
        assertThat(sliding.tryAcquire(50)).isTrue();
        clock.advance(Duration.ofMillis(20));
        assertThat(resilience4j.acquirePermission(50)).isTrue();
        assertThat(sliding.tryAcquire(1)).isFalse();
    }

    /** The page: a request that costs several permits. */
    @Test
    void severalPermitsAreTakenFromOnePeriodOnly() {
        Duration timeout = Duration.ofSeconds(1);
        AtomicRateLimiter resilience4j = theirs(5, Duration.ofSeconds(1), timeout);
        Limiter limiter = ours(5, Duration.ofSeconds(1));
        assertThat(resilience4j.acquirePermission(3)).isTrue();
        assertThat(limiter.tryAcquire(3)).isTrue();
        assertThat(resilience4j.reservePermission(4))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        CompletableFuture<Decision> four = limiter.acquireAsync(4, timeout);
        clock.advance(timeout);
        assertThat(four).isCompletedWithValueMatching(Decision::allowed);
        assertThat(resilience4j.getMetrics().getAvailablePermissions())
                .as("two of the four were of the period before")
                .isEqualTo(3);
        assertThat(limiter.peek("", 0).remaining()).isEqualTo(1);
    }

    /** The page: more permits than the limit. */
    @Test
    void moreThanTheLimitIsNever() {
        Duration timeout = Duration.ofSeconds(10);
        AtomicRateLimiter resilience4j = theirs(5, Duration.ofSeconds(1), timeout);
        assertThat(resilience4j.reservePermission(12))
                .isEqualTo(Duration.ofSeconds(2).toNanos());
        Decision decision =
                ours(5, Duration.ofSeconds(1)).acquireAsync(12, timeout).join();
        assertThat(decision.never()).isTrue();
    }
}
