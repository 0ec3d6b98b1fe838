package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Holds that end by their lease, or by their id. */
class LeasedHoldsTest {
    private final ManualClock clock = new ManualClock();
    private final Limiter limiter = Limiter.builder(Limit.concurrency(2), Limit.fixedWindow(10, ofSeconds(1000)))
            .clock(clock)
            .build();

    private long free(String key) {
        return limiter.peek(key, 0).perLimit().get(0).remaining();
    }

    private static long id(OptionalLong lease) {
        return lease.orElseThrow();
    }

    @Test
    void aHoldEndsWithItsLeaseAndNotBefore() {
        long id = id(
                limiter.leaseAsync("k", limiter.decide("k", 2), ofSeconds(30)).join());
        clock.advance(ofSeconds(30).minusMillis(1));
        assertThat(free("k")).isZero();
        clock.advance(ofMillis(1));
        assertThat(free("k")).isEqualTo(2);
        assertThat(limiter.releaseLeaseAsync("k", id).join()).isFalse();
    }

    /** What was released is not released again when the lease ends: it would free the permits of the next holder. */
    @Test
    void aHoldIsReleasedOnce() {
        long id = id(limiter.leaseAsync("k", limiter.decide("k"), ofSeconds(30)).join());
        assertThat(limiter.releaseLeaseAsync("k", id).join()).isTrue();
        assertThat(limiter.releaseLeaseAsync("k", id).join()).isFalse();
        limiter.decide("k", 2);
        clock.advance(ofSeconds(31));
        assertThat(free("k")).isZero();
        assertThat(clock.pending()).isZero();
    }

    @Test
    void anIdIsForItsKeyAlone() {
        long id = id(limiter.leaseAsync("k", limiter.decide("k"), ofSeconds(30)).join());
        limiter.decide("other");
        assertThat(limiter.releaseLeaseAsync("other", id).join()).isFalse();
        assertThat(limiter.releaseLeaseAsync("k", id + 1).join()).isFalse();
        assertThat(limiter.releaseLeaseAsync("k", 0).join()).isFalse();
        assertThat(free("k")).isEqualTo(1);
        assertThat(free("other")).isEqualTo(1);
    }

    @Test
    void whatHoldsNothingHasNoLease() {
        limiter.decide("k", 2);
        assertThat(limiter.leaseAsync("k", limiter.decide("k"), ofSeconds(1)).join())
                .isEmpty();
        Limiter rate = Limiter.local(clock, Limit.fixedWindow(10, ofSeconds(1)));
        assertThat(rate.leaseAsync("k", rate.decide("k"), ofSeconds(1)).join()).isEmpty();
        Decision taken = limiter.decide("x");
        for (Duration wrong : new Duration[] {Duration.ZERO, ofSeconds(-1), Duration.ofDays(2)}) {
            assertThatThrownBy(() -> limiter.leaseAsync("x", taken, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a lease must be longer than zero and at most one day, was " + wrong);
        }
    }

    /** Leases count as memory of the store; where there is none, the decision is still the caller's. */
    @Test
    void leasesAreBoundedWithTheStore() {
        Store store = Store.builder().maxBytes(100_000).build();
        Limiter bounded = store.limiter("bounded", Limit.concurrency(1_000_000));
        int leases = 0;
        Decision last = bounded.decide("k");
        OptionalLong id = bounded.leaseAsync("k", last, ofSeconds(1000)).join();
        while (id.isPresent()) {
            leases++;
            last = bounded.decide("k");
            id = bounded.leaseAsync("k", last, ofSeconds(1000)).join();
        }
        assertThat(leases).isBetween(50, 300);
        assertThat(store.usage().bytes()).isLessThanOrEqualTo(100_000);
        long before = bounded.peek("k", 0).remaining();
        bounded.release("k", last);
        assertThat(bounded.peek("k", 0).remaining()).isEqualTo(before + 1);
    }
}
