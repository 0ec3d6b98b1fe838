package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.KeyUsage.Span;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a key has used, by when it was taken. The law is in {@link dev.sluice.contract.LimiterContract}. */
class KeyUsageTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long MINUTE_MICROS = 60_000_000;

    private final FakeClock clock = new FakeClock(1_000_000_000_000L);

    @Test
    void theSlicesOfAWindow() {
        Limiter limiter = Limiter.local(clock, Limit.slidingWindow(100, Duration.ofSeconds(4), 4));
        clock.set(10_500_000);
        limiter.tryAcquire("k", 3);
        clock.set(12_200_000);
        limiter.tryAcquire("k", 5);
        assertThat(usage(limiter, "k"))
                .containsExactly(new KeyUsage(8, List.of(new Span(2_200_000, 1_200_000, 3), new Span(200_000, 0, 5))));
        clock.set(14_900_000); // the first slice overlaps the last four seconds in part, and counts in full
        assertThat(usage(limiter, "k"))
                .containsExactly(
                        new KeyUsage(8, List.of(new Span(4_900_000, 3_900_000, 3), new Span(2_900_000, 1_900_000, 5))));
        clock.set(15_000_000);
        assertThat(usage(limiter, "k")).containsExactly(new KeyUsage(5, List.of(new Span(3_000_000, 2_000_000, 5))));
    }

    @Test
    void theOldestSliceOfAWeightedWindowCountsByItsOverlap() {
        Limiter limiter = Limiter.local(
                clock, Limit.slidingWindow(100, Duration.ofSeconds(1), 1).weighted());
        clock.set(10_500_000);
        limiter.tryAcquire("k", 10);
        clock.set(11_250_000);
        limiter.tryAcquire("k", 1);
        assertThat(usage(limiter, "k"))
                .containsExactly(new KeyUsage(9, List.of(new Span(1_250_000, 250_000, 8), new Span(250_000, 0, 1))));
    }

    @Test
    void aLogOf100_000EntriesIsAtMost120Spans() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(100_000, MINUTE));
        TreeMap<Long, Long> taken = new TreeMap<>();
        Random random = new Random(16);
        for (int i = 0; i < 100_000; i++) {
            clock.advance(random.nextLong(1200));
            limiter.tryAcquire("k");
            taken.merge(clock.micros(), 1L, Long::sum);
        }
        for (int i = 0; i < 30; i++) {
            clock.advance(random.nextLong(1_000_000));
            addsUp(limiter, taken);
        }
        clock.advance(MINUTE_MICROS);
        assertThat(usage(limiter, "k")).containsExactly(new KeyUsage(0, List.of()));
    }

    private void addsUp(Limiter limiter, NavigableMap<Long, Long> taken) {
        KeyUsage usage = usage(limiter, "k").get(0);
        long now = clock.micros();
        assertThat(usage.spans()).hasSizeLessThanOrEqualTo(KeyUsage.MAX_SPANS);
        assertThat(usage.used()).isEqualTo(100_000 - limiter.peek("k", 0).remaining());
        assertThat(usage.spans().stream().mapToLong(Span::permits).sum()).isEqualTo(usage.used());
        long before = MINUTE_MICROS;
        for (Span span : usage.spans()) {
            assertThat(span.fromMicrosAgo()).isLessThanOrEqualTo(before).isGreaterThan(span.toMicrosAgo());
            before = span.toMicrosAgo();
            long from = span.fromMicrosAgo() == MINUTE_MICROS ? now - MINUTE_MICROS + 1 : now - span.fromMicrosAgo();
            long to = span.toMicrosAgo() == 0 ? now + 1 : now - span.toMicrosAgo();
            assertThat(taken.subMap(from, to).values().stream()
                            .mapToLong(each -> each)
                            .sum())
                    .isEqualTo(span.permits());
        }
    }

    @Test
    void aWindowOf3600SlicesIsAtMost120Spans() {
        Limiter limiter = Limiter.local(clock, Limit.slidingWindow(1_000_000, Duration.ofHours(1), 3600));
        Random random = new Random(16);
        for (int i = 0; i < 5000; i++) {
            clock.advance(random.nextLong(2_000_000));
            limiter.tryAcquire("k", 1 + random.nextInt(5));
        }
        KeyUsage usage = usage(limiter, "k").get(0);
        assertThat(usage.spans()).hasSizeBetween(KeyUsage.MAX_SPANS - 5, KeyUsage.MAX_SPANS);
        assertThat(usage.used()).isEqualTo(1_000_000 - limiter.peek("k", 0).remaining());
        assertThat(usage.spans().stream().mapToLong(Span::permits).sum()).isEqualTo(usage.used());
    }

    @Test
    void eachOfSeveralLimitsInTheirOrder() {
        Limiter limiter = Limiter.local(
                clock, Limit.tokenBucket(10, MINUTE), Limit.slidingLog(20, MINUTE), Limit.fixedWindow(30, MINUTE));
        limiter.tryAcquire("k", 4);
        assertThat(usage(limiter, "k")).extracting(KeyUsage::used).containsExactly(4L, 4L, 4L);
        assertThat(usage(limiter, "k")).extracting(each -> each.spans().size()).containsExactly(0, 1, 0);
    }

    @Test
    void whatWasInUseBeforeAChangeIsOneSpan() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(500, MINUTE));
        limiter.tryAcquire("k", 300);
        limiter.change(Limit.slidingLog(500, MINUTE));
        limiter.tryAcquire("k", 2);
        KeyUsage usage = usage(limiter, "k").get(0);
        assertThat(usage.used()).isEqualTo(302);
        assertThat(usage.spans()).extracting(Span::permits).containsExactly(302L);
        clock.advance(MINUTE_MICROS / 2);
        limiter.tryAcquire("k", 1);
        assertThat(usage(limiter, "k").get(0).spans()).extracting(Span::permits).containsExactly(302L, 1L);
    }

    @Test
    void aClockThatStepsBackIsReadAsNoTimePassed() {
        Limiter limiter = Limiter.local(clock, Limit.slidingLog(5, MINUTE));
        limiter.tryAcquire(2);
        List<KeyUsage> before = usage(limiter, "");
        clock.advance(-MINUTE_MICROS * 1000);
        assertThat(usage(limiter, "")).isEqualTo(before);
    }

    @Test
    void lookingMakesNoEntry() {
        try (Store store = Store.local(clock)) {
            Limiter limiter = store.limiter("l", Limit.slidingLog(5, MINUTE));
            for (int i = 0; i < 1000; i++) {
                assertThat(usage(limiter, "key " + i)).containsExactly(new KeyUsage(0, List.of()));
            }
            assertThat(store.usage().keys()).isZero();
        }
    }

    @Test
    void isOneMomentWhileOthersTake() throws InterruptedException {
        Limiter limiter = Limiter.local(Limit.slidingLog(10_000, Duration.ofMillis(1)));
        AtomicBoolean done = new AtomicBoolean();
        Thread taker = new Thread(() -> {
            while (!done.get()) {
                limiter.tryAcquire("k", 3);
            }
        });
        taker.start();
        try {
            for (int i = 0; i < 300; i++) {
                KeyUsage usage = usage(limiter, "k").get(0);
                assertThat(usage.spans().stream().mapToLong(Span::permits).sum())
                        .isEqualTo(usage.used());
                assertThat(usage.used() % 3).isZero();
            }
        } finally {
            done.set(true);
            taker.join();
        }
    }

    private static List<KeyUsage> usage(Limiter limiter, String key) {
        return limiter.usageAsync(key).join();
    }
}
