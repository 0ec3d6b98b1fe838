package dev.sluice.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class HotKeysTest {
    private final FakeClock clock = new FakeClock(0);
    private final List<String> heard = new ArrayList<>();

    private final HotKeyListener listener = new HotKeyListener() {
        @Override
        public void becameHot(HotKey key) {
            heard.add("hot " + key.key());
        }

        @Override
        public void cooledDown(HotKey key) {
            heard.add("cold " + key.key());
        }
    };

    private HotKeys over(long threshold) {
        return HotKeys.builder(threshold, Duration.ofSeconds(1))
                .ticker(clock)
                .listener(listener)
                .build();
    }

    @Test
    void aKeyIsHotFromTheThresholdOn() {
        HotKeys hotKeys = over(1000);
        for (int i = 0; i < 999; i++) {
            hotKeys.record("a");
        }
        assertThat(hotKeys.isHot("a")).isFalse();
        assertThat(hotKeys.hot()).isEmpty();
        hotKeys.record("a");
        assertThat(hotKeys.isHot("a")).isTrue();
        assertThat(hotKeys.hot()).containsExactly(new HotKey("a", 1000, 1000));
        assertThat(heard).containsExactly("hot a");
    }

    @Test
    void topIsInOrder() {
        HotKeys hotKeys = over(1000);
        hotKeys.record("c", 5);
        hotKeys.record("a", 7);
        hotKeys.record("b", 7);
        hotKeys.record("none", 0);
        assertThat(hotKeys.top(2)).containsExactly(new HotKey("a", 7, 7), new HotKey("b", 7, 7));
        assertThat(hotKeys.top(9)).extracting(HotKey::key).containsExactly("a", "b", "c");
        assertThat(hotKeys.top(0)).isEmpty();
    }

    @Test
    void aHotKeyThatStopsCoolsDownByAnyQuery() {
        HotKeys hotKeys = over(1000);
        for (int i = 0; i < 2000; i++) {
            hotKeys.record("a");
        }
        clock.advance(999_000);
        assertThat(hotKeys.isHot("b")).isFalse();
        assertThat(heard).containsExactly("hot a");
        clock.advance(1_001_000);
        assertThat(hotKeys.isHot("b")).isFalse();
        assertThat(heard).containsExactly("hot a", "cold a");
        assertThat(hotKeys.isHot("a")).isFalse();
        assertThat(hotKeys.count("a").atLeast()).isZero();
    }

    @Test
    void aHotKeyThatStopsCoolsDownByTheEventsOfOthers() {
        HotKeys hotKeys = over(1000);
        for (int i = 0; i < 2000; i++) {
            hotKeys.record("a");
        }
        clock.advance(2_000_000);
        for (int i = 0; i < 16; i++) {
            hotKeys.record("b");
        }
        assertThat(heard).containsExactly("hot a", "cold a");
    }

    @Test
    void ofEventsThatComeRarelyTheFirstIsEnough() {
        HotKeys hotKeys = over(2);
        hotKeys.record("a");
        clock.advance(100_000);
        hotKeys.record("a");
        assertThat(heard).containsExactly("hot a");
        clock.advance(1_100_000);
        hotKeys.record("b");
        assertThat(heard).containsExactly("hot a", "cold a");
    }

    /** 1,000 per second exactly: the lower bound swings around the threshold, and the key stays hot. */
    @Test
    void aKeyAtTheThresholdDoesNotFlicker() {
        HotKeys hotKeys = over(1000);
        for (int i = 0; i < 10_000; i++) {
            clock.set(i * 1000L);
            hotKeys.record("a", i % 10 == 0 ? 2 : 1);
        }
        assertThat(heard).containsExactly("hot a");
    }

    @Test
    void whatTheListenerThrowsDoesNotReachTheCaller() {
        HotKeys hotKeys = HotKeys.builder(1, Duration.ofSeconds(1))
                .ticker(clock)
                .listener(new HotKeyListener() {
                    @Override
                    public void becameHot(HotKey key) {
                        heard.add(key.key());
                        throw new AssertionError("an error");
                    }

                    @Override
                    public void cooledDown(HotKey key) {
                        heard.add(key.key());
                        throw new IllegalStateException("an exception");
                    }
                })
                .build();
        hotKeys.record("a");
        assertThat(hotKeys.isHot("a")).isTrue();
        clock.advance(2_000_000);
        assertThat(hotKeys.isHot("a")).isFalse();
        assertThat(heard).containsExactly("a", "a");
    }

    @Test
    void aListenerMayUseTheHotKeysItListensTo() {
        List<HotKeys> self = new ArrayList<>();
        HotKeys hotKeys = HotKeys.builder(1, Duration.ofSeconds(1))
                .ticker(clock)
                .listener(new HotKeyListener() {
                    @Override
                    public void becameHot(HotKey key) {
                        heard.add(key.key());
                        if (heard.size() < 5000) {
                            self.get(0).record("key " + heard.size());
                            assertThat(self.get(0).isHot(key.key())).isTrue();
                        }
                    }

                    @Override
                    public void cooledDown(HotKey key) {}
                })
                .maxBytes(8 << 20)
                .build();
        self.add(hotKeys);
        hotKeys.record("a");
        assertThat(hotKeys.isHot("a")).isTrue();
        assertThat(heard).hasSize(5000);
    }

    @Test
    void aFloodDoesNotCoolDownAHotKey() {
        HotKeys hotKeys = over(1000);
        hotKeys.record("a", 1000);
        for (int i = 0; i < 3_000_000; i++) {
            hotKeys.record("flood:" + i);
        }
        assertThat(hotKeys.count("a")).isEqualTo(new HotKey("a", 1000, 1000));
        assertThat(hotKeys.isHot("a")).isTrue();
        assertThat(heard).containsExactly("hot a");
    }

    @Test
    void aClockThatJumpsForgetsAndOneThatStepsBackDoesNot() {
        HotKeys hotKeys = over(10);
        hotKeys.record("a", 10);
        clock.advance(-5_000_000);
        assertThat(hotKeys.isHot("a")).isTrue();
        hotKeys.record("a", 1);
        assertThat(hotKeys.count("a")).isEqualTo(new HotKey("a", 11, 11));
        clock.advance(Duration.ofDays(100_000).toMillis() * 1000);
        assertThat(hotKeys.isHot("a")).isFalse();
        hotKeys.record("a", 10);
        assertThat(hotKeys.isHot("a")).isTrue();
    }

    @Test
    void onlyHotKeysAreLimited() {
        HotKeys hotKeys = over(100);
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(5, Duration.ofSeconds(10)));
        int passed = 0;
        for (int i = 0; i < 200; i++) {
            passed += hotKeys.tryAcquire(limiter, "a") ? 1 : 0;
            assertThat(hotKeys.tryAcquire(limiter, "cold " + i)).isTrue();
        }
        assertThat(passed).isEqualTo(99 + 5);
        assertThat(limiter.peek("cold 1", 0).remaining()).isEqualTo(5);
    }

    @Test
    void noEventIsLostBetweenThreads() throws Exception {
        HotKeys hotKeys = over(1_000_000);
        int threads = 8;
        long events = 100_000;
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int mine = thread;
                runs.add(executor.submit(() -> {
                    start.await();
                    for (int i = 0; i < events; i++) {
                        hotKeys.record("all");
                        hotKeys.record("of " + mine + ":" + i % 3);
                        if (i % 1000 == 0) {
                            assertThat(hotKeys.count("all").atLeast()).isGreaterThan(i);
                        }
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(hotKeys.top(100)).hasSize(1 + 3 * threads);
        assertThat(hotKeys.top(1)).containsExactly(new HotKey("all", threads * events, threads * events));
        assertThat(hotKeys.top(100).stream().mapToLong(HotKey::atLeast).sum()).isEqualTo(2L * threads * events);
    }

    @Test
    @SuppressWarnings("NullAway") // A caller without a null checker can do this.
    void badInputIsRefused() {
        HotKeys hotKeys = over(1);
        assertThatNullPointerException().isThrownBy(() -> hotKeys.record(null)).withMessage("key");
        assertThatNullPointerException()
                .isThrownBy(() -> hotKeys.record(null, 0))
                .withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> hotKeys.isHot(null)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> hotKeys.count(null)).withMessage("key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> hotKeys.record("a", -1))
                .withMessage("a count is 0 or more, not -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> hotKeys.top(-1))
                .withMessage("the number of top keys is 0 or more, not -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HotKeys.over(0, Duration.ofSeconds(1)))
                .withMessage("a threshold is 1 or more events, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HotKeys.over(1, Duration.ZERO))
                .withMessage("a window is 1 millisecond to 366 days, not PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HotKeys.builder(1, Duration.ofSeconds(1)).maxBytes(1000))
                .withMessage("maxBytes is 32768 to 67108864 bytes, not 1000");
    }
}
