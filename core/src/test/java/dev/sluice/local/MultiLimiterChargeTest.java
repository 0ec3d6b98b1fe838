package dev.sluice.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Charge;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MultiLimiterChargeTest {
    private static final Duration DAY = Duration.ofDays(1);

    private final ManualClock time = new ManualClock();
    private final Store store = Store.local(time);

    @Test
    void aLimiterOfAnotherStoreIsRefusedBeforeAnythingIsTaken() {
        Limiter here = store.limiter("here", Limit.fixedWindow(5, DAY));
        try (Store another = Store.local(time)) {
            Limiter there = another.limiter("there", Limit.fixedWindow(5, DAY));
            List<Charge> charges = List.of(new Charge(here, "k", 1), new Charge(there, "k", 1));
            assertThatThrownBy(() -> store.decideAll(charges))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("there");
            assertThat(here.peek("k", 0).remaining()).isEqualTo(5);
        }
    }

    @Test
    void aChargeThatThrowsTakesNothing() {
        Limiter here = store.limiter("here", Limit.fixedWindow(5, DAY));
        Limiter other = Limiter.local(
                () -> {
                    throw new IllegalStateException("a clock that fails");
                },
                Limit.fixedWindow(5, DAY));
        List<Charge> charges = List.of(new Charge(here, "k", 1), new Charge(other, "k", 1));
        assertThatThrownBy(() -> store.decideAll(charges).join()).isInstanceOf(RuntimeException.class);
        assertThat(here.peek("k", 0).remaining()).isEqualTo(5);
    }
}
