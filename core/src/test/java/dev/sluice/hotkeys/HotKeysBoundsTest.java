package dev.sluice.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The true count lies within the bounds, whatever the trace; compared with exact counts. */
class HotKeysBoundsTest {
    private static final long WINDOW_MICROS = 1_000_000;
    private static final long SEED = Long.getLong("sluice.seed", 1);
    private static final int TRACES = Integer.getInteger("sluice.traces", 1000) / 10;
    private static final int THRESHOLD = 40;

    /** How the keys of a trace are drawn. */
    private enum Draw {
        UNIFORM {
            @Override
            int key(Random random, int step) {
                return random.nextInt(300);
            }
        },
        ZIPF {
            @Override
            int key(Random random, int step) {
                return (int) Math.exp(random.nextDouble() * Math.log(5000));
            }
        },
        BURSTS {
            @Override
            int key(Random random, int step) {
                return step / 50 % 7 == 0 ? step / 350 : random.nextInt(100);
            }
        },
        /** A key that never comes again, mostly. */
        CHURN {
            @Override
            int key(Random random, int step) {
                return random.nextInt(20) == 0 ? 1 : 10_000 + step;
            }
        },
        /** Each key comes as often as makes it the next to be evicted. */
        ROUND_ROBIN {
            @Override
            int key(Random random, int step) {
                return step / 3 % 120;
            }
        };

        abstract int key(Random random, int step);
    }

    /** A trace and what it must show at each step. */
    private static final class Trial implements HotKeyListener {
        private final Random random;
        private final Draw draw;
        private final FakeClock clock;
        private final HotKeys hotKeys;
        private final ExactCounts exact;
        private final Set<String> told = new HashSet<>();

        Trial(Draw draw, long seed) {
            this.draw = draw;
            this.random = new Random(seed);
            this.clock = new FakeClock(random.nextInt(3) * 1_000_000_000L - 1_000_000_000L);
            this.hotKeys = HotKeys.builder(THRESHOLD, Duration.ofSeconds(1))
                    .ticker(clock)
                    .maxBytes(32 * 1024)
                    .listener(this)
                    .build();
            this.exact = new ExactCounts(WINDOW_MICROS * 1000, clock.nanos());
        }

        @Override
        public void becameHot(HotKey key) {
            assertThat(told.add(key.key())).isTrue();
            assertThat(key.atLeast()).isGreaterThanOrEqualTo(THRESHOLD);
        }

        @Override
        public void cooledDown(HotKey key) {
            assertThat(told.remove(key.key())).isTrue();
        }

        void run() {
            int pace = 1 << random.nextInt(16);
            for (int step = 0; step < 2000; step++) {
                moveClock(pace);
                String key = "key:" + draw.key(random, step);
                int count = random.nextInt(10) == 0 ? random.nextInt(5) : 1;
                hotKeys.record(key, count);
                exact.record(clock.nanos(), key, count);
                if (random.nextInt(50) == 0) {
                    check();
                }
            }
            check();
        }

        private void moveClock(int pace) {
            int dice = random.nextInt(1000);
            if (dice == 0) {
                assertThat(hotKeys.isHot("never came")).isFalse(); // the clock must be read, or it was never that late
                clock.advance(-random.nextInt(3_000_000));
            } else if (dice == 1) {
                clock.advance(random.nextInt(3_000_000));
            } else if (dice == 2 && random.nextInt(10) == 0) {
                clock.advance(3_000_000_000_000L);
            } else if (dice < 500) {
                clock.advance(random.nextInt(pace));
            }
        }

        private void check() {
            exact.read(clock.nanos());
            List<String> keys = new ArrayList<>(exact.keys());
            keys.add("never came");
            keys.add("key:1");
            for (String key : keys) {
                checkBounds(hotKeys.count(key));
            }
            List<HotKey> top = hotKeys.top(Integer.MAX_VALUE);
            top.forEach(this::checkBounds);
            assertThat(top).extracting(HotKey::key).doesNotHaveDuplicates();
            List<HotKey> hot = hotKeys.hot();
            assertThat(hot).extracting(HotKey::key).containsExactlyInAnyOrderElementsOf(told);
            for (HotKey key : hot) {
                assertThat(hotKeys.isHot(key.key())).isTrue();
                assertThat(key.atMost()).isGreaterThanOrEqualTo(THRESHOLD);
            }
            assertThat(top)
                    .filteredOn(key -> key.atLeast() >= THRESHOLD)
                    .allMatch(key -> hotKeys.isHot(key.key()), "is hot");
        }

        private void checkBounds(HotKey key) {
            assertThat(exact.count(key.key())).as(key::toString).isBetween(key.atLeast(), key.atMost());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTrueCountLiesWithinTheBounds(Draw draw) {
        for (int trace = 0; trace < TRACES; trace++) {
            long seed = SEED * 1_000_003 + trace;
            try {
                new Trial(draw, seed).run();
            } catch (AssertionError e) {
                throw new AssertionError(draw + " with seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** 1 % of the traffic beside ten million keys that come once. */
    @Test
    void aFloodOfKeysHidesNoKeyWithOnePercent() {
        FakeClock clock = new FakeClock(0);
        HotKeys hotKeys = HotKeys.over(1000, Duration.ofSeconds(1), clock);
        int flood = 10_000_000;
        for (int i = 0; i < flood; i++) {
            if (i % 10 == 0) {
                clock.advance(1); // a second in all
            }
            hotKeys.record("flood:" + i);
            if (i % 99 == 0) {
                hotKeys.record("heavy");
            }
        }
        // The clock stood at one second when the last ten came, so the first ten have left.
        long exact = flood / 99;
        HotKey heavy = hotKeys.top(1).get(0);
        assertThat(heavy.key()).isEqualTo("heavy");
        assertThat(heavy.atLeast()).isBetween(exact * 9 / 10, exact);
        assertThat(heavy.atMost()).isBetween(exact - 10, exact * 11 / 10);
        assertThat(hotKeys.hot()).extracting(HotKey::key).containsExactly("heavy");
        assertThat(hotKeys.count("flood:" + (flood - 1)).atMost())
                .as("what may have been missed is a small part of the traffic")
                .isLessThan(flood / 150);
    }

    @Test
    void aHundredKeysWithOnePercentEachAreAllFound() {
        FakeClock clock = new FakeClock(0);
        HotKeys hotKeys = HotKeys.over(800, Duration.ofSeconds(1), clock);
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            if (i % 10 == 0) {
                clock.advance(100); // ten microseconds an event: 100,000 events in a window, 1,000 of each key
            }
            hotKeys.record("key:" + random.nextInt(100));
        }
        assertThat(hotKeys.top(1000)).hasSize(100);
        assertThat(hotKeys.hot()).hasSize(100);
    }

    @Test
    void aKeyThatWasThereAllTheTimeIsCountedExactly() {
        FakeClock clock = new FakeClock(0);
        HotKeys hotKeys = HotKeys.over(1000, Duration.ofSeconds(16), clock);
        ExactCounts exact = new ExactCounts(16_000_000_000L, clock.nanos());
        for (int second = 0; second < 100; second++) {
            clock.set(second * 1_000_000L);
            hotKeys.record("a", second);
            exact.record(clock.nanos(), "a", second);
        }
        assertThat(hotKeys.count("a").atLeast()).isEqualTo(exact.count("a"));
        assertThat(hotKeys.count("a").atMost()).isEqualTo(exact.count("a"));
    }

    @Test
    void countsBeyondTheRangeOfAnIntKeepTheBoundsTrue() {
        FakeClock clock = new FakeClock(0);
        HotKeys hotKeys = HotKeys.over(10, Duration.ofSeconds(1), clock);
        hotKeys.record("a", Integer.MAX_VALUE);
        assertThat(hotKeys.count("a")).isEqualTo(new HotKey("a", Integer.MAX_VALUE, Integer.MAX_VALUE));
        hotKeys.record("a", Integer.MAX_VALUE);
        assertThat(hotKeys.count("a")).isEqualTo(new HotKey("a", Integer.MAX_VALUE, Long.MAX_VALUE));
        clock.advance(2_000_000);
        assertThat(hotKeys.count("a")).isEqualTo(new HotKey("a", 0, 0));
        assertThat(hotKeys.isHot("a")).isFalse();
    }

    /** A hot key keeps its entry while much is lost of others; when it is evicted in the end, that must count too. */
    @Test
    void whatAKeyHadThatWasSparedForLongIsNotForgotten() {
        FakeClock clock = new FakeClock(0);
        HotKeys hotKeys = HotKeys.builder(1000, Duration.ofSeconds(1))
                .ticker(clock)
                .maxBytes(32 * 1024)
                .build();
        hotKeys.record("spared", 1000);
        for (int i = 0; i < 1_000_000; i++) {
            hotKeys.record("flood:" + i);
        }
        clock.set(200_000);
        assertThat(hotKeys.isHot("spared")).isTrue();
        hotKeys.record("spared", 10);
        for (int i = 0; i < 20; i++) {
            hotKeys.record("hot:" + i, 1000); // too many to spare
        }
        int more = 0;
        while (hotKeys.isHot("spared")) {
            hotKeys.record("more:" + more++);
        }
        clock.set(1_100_000);
        assertThat(hotKeys.count("spared").atLeast()).isZero();
        assertThat(hotKeys.count("spared").atMost()).isGreaterThanOrEqualTo(10);
    }
}
