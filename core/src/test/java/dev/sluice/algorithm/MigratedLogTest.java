package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What was in use before a limit became a log is one run there, and counts as if each permit had been logged. */
class MigratedLogTest {
    private static final long PERIOD = 1000;

    @Test
    void itDecidesAsIfEachPermitHadBeenLogged() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            int capacity = 1 + random.nextInt(30);
            SlidingLog log = new SlidingLog(capacity, PERIOD);
            State bucket = new TokenBucket(Rate.of(40, PERIOD, 40), Lineage.FIRST).fresh();
            long now = random.nextInt(100);
            bucket.take(now, random.nextInt(41));
            State migrated = log.migrate(bucket, now);
            State logged = log.fresh();
            logged.take(now, Math.min(capacity, bucket.used(now)));
            for (int step = 0; step < 60; step++) {
                if (step == 20 && random.nextBoolean()) {
                    SlidingLog other = new SlidingLog(1 + random.nextInt(30), PERIOD / 2 + random.nextInt(500));
                    migrated = other.migrate(migrated, now);
                    logged = other.migrate(logged, now);
                }
                now += random.nextInt(5) == 0 ? random.nextInt(600) - 60 : random.nextInt(40);
                compare(seed, migrated, logged, now);
                long cost = 1L + random.nextInt(4);
                if (logged.admits(now, cost)) {
                    migrated.take(now, cost);
                    logged.take(now, cost);
                    if (random.nextInt(3) == 0) {
                        long unused = 1 + random.nextLong(cost);
                        migrated.refund(now, migrated.latest(), migrated.mark(), cost, unused);
                        logged.refund(now, logged.latest(), logged.mark(), cost, unused);
                    }
                }
            }
        }
    }

    private static void compare(int seed, State migrated, State logged, long now) {
        long capacity = logged.algorithm().capacity();
        assertThat(migrated.used(now)).as("seed %d", seed).isEqualTo(logged.used(now));
        assertThat(migrated.remaining(now)).as("seed %d", seed).isEqualTo(logged.remaining(now));
        long time = Math.max(now, logged.latest()); // what has left by then may still be there, or not
        assertThat(Math.max(time, migrated.freshAt(now)))
                .as("seed %d", seed)
                .isEqualTo(Math.max(time, logged.freshAt(now)));
        for (long cost = 1; cost <= capacity; cost++) {
            assertThat(migrated.admits(now, cost)).as("seed %d, %d", seed, cost).isEqualTo(logged.admits(now, cost));
            assertThat(migrated.readyAt(now, cost))
                    .as("seed %d, %d", seed, cost)
                    .isEqualTo(logged.readyAt(now, cost));
        }
        assertThat(migrated.admits(now, Long.MAX_VALUE)).as("seed %d", seed).isFalse();
    }

    @Test
    void itTakesAsMuchMemoryAsAnUnusedLog() {
        State bucket = new TokenBucket(Rate.of(1_000_000, 1_000_000, 1_000_000), Lineage.FIRST).fresh();
        bucket.take(0, 999_999);
        SlidingLog log = new SlidingLog(1_000_000, PERIOD);
        State migrated = log.migrate(bucket, 0);
        assertThat(migrated.bytes()).isEqualTo(log.fresh().bytes());
        assertThat(migrated.remaining(0)).isEqualTo(1);
    }
}
