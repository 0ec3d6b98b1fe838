package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.metrics.Offenders.Offender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OffendersTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Offenders offenders = new Offenders(Duration.ofMinutes(10), nanos::get);

    @Test
    void findsTheWorstAmongAMillionOthers() {
        Random random = new Random(42);
        int[] real = new int[5];
        for (int i = 0; i < 1_000_000; i++) {
            int draw = random.nextInt(100);
            if (draw < 15) {
                int attacker = draw < 5 ? 0 : draw < 9 ? 1 : draw < 12 ? 2 : draw < 14 ? 3 : 4;
                real[attacker]++;
                offenders.denied("login", "attacker-" + attacker);
            } else {
                offenders.denied("login", "somebody-" + random.nextInt(1_000_000));
            }
        }
        Offenders.Top report = offenders.top(5);
        assertThat(report.denials()).isEqualTo(1_000_000);
        for (int i = 0; i < 5; i++) {
            Offenders.Count count = report.top().get(i);
            assertThat(count.offender()).isEqualTo(new Offender("login", "attacker-" + i));
            assertThat((long) real[i]).isBetween(count.atLeast(), count.atMost());
        }
    }

    @Test
    void forgetsTheLastButOnePeriod() {
        offenders.denied("login", "old");
        assertThat(keys()).containsExactly("old");
        minutes(12);
        offenders.denied("login", "new");
        assertThat(keys()).containsExactlyInAnyOrder("old", "new");
        assertThat(offenders.top(1).over()).isEqualTo(Duration.ofMinutes(12));
        minutes(22);
        assertThat(keys()).containsExactly("new");
        minutes(60);
        assertThat(keys()).isEmpty();
        assertThat(offenders.top(1).denials()).isZero();
    }

    @Test
    void keepsKeysShort() {
        offenders.denied("login", "x".repeat(100_000));
        assertThat(keys().get(0)).hasSize(256);
    }

    @Test
    void nobodyWaitsAndNothingIsLostUnseen() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            threads.add(new Thread(() -> {
                for (int j = 0; j < 20_000; j++) {
                    offenders.denied("login", "busy");
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        Offenders.Top report = offenders.top(1);
        assertThat(report.denials() + report.missed()).isEqualTo(16 * 20_000);
    }

    private void minutes(long at) {
        nanos.set(Duration.ofMinutes(at).toNanos());
    }

    private List<String> keys() {
        return offenders.top(10).top().stream()
                .map(count -> count.offender().key())
                .toList();
    }
}
