package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HostileKeysTest {
    private final FakeClock clock = new FakeClock(0);

    @Test
    @SuppressWarnings("NullAway") // A caller without a null checker can do this.
    void nullIsNoKey() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(1, Duration.ofSeconds(1)));
        Decision decision = limiter.decide();
        List<ThrowingCallable> calls = List.of(
                () -> limiter.tryAcquire(null, 1),
                () -> limiter.decide(null, 1),
                () -> limiter.peek(null, 1),
                () -> limiter.usageAsync(null),
                () -> limiter.acquire(null, 1, Duration.ZERO),
                () -> limiter.acquireAsync(null, 1, Duration.ZERO),
                () -> limiter.hold(null, 1),
                () -> limiter.call(null, () -> 1, denied -> 0),
                () -> limiter.refund(null, decision),
                () -> limiter.release(null, decision),
                () -> limiter.reset(null));
        for (ThrowingCallable call : calls) {
            assertThatNullPointerException().isThrownBy(call).withMessageContaining("key");
        }
    }

    @Test
    void theEmptyKeyIsTheOneKey() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(1, Duration.ofSeconds(1)));
        assertThat(limiter.tryAcquire("")).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.tryAcquire("a")).isTrue();
        limiter.reset();
        assertThat(limiter.tryAcquire("")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
    }

    @Test
    void keysThatLookAlikeAreDifferent() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(1, Duration.ofSeconds(1)));
        for (String key : List.of(
                " ", "a", "A", "a ", "a\0", "\0", "a:b", "a_b", "\u00e9", "e\u0301", "\ud83d\ude00", "\ud83d")) {
            assertThat(limiter.tryAcquire(key)).as("'%s'", key).isTrue();
            assertThat(limiter.tryAcquire(key)).as("'%s' again", key).isFalse();
        }
    }

    @Test
    void hugeKeys() {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(1, Duration.ofSeconds(1)));
        String huge = "k".repeat(1 << 20);
        assertThat(limiter.tryAcquire(huge)).isTrue();
        assertThat(limiter.tryAcquire("k".repeat(1 << 20))).isFalse();
        assertThat(limiter.tryAcquire(huge + "k")).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.contract.Kinds#tens")
    void tenThousandKeysOfOneHashCodeKeepTheirOwnCounts(Limit limit) {
        Limiter limiter = Limiter.local(clock, limit);
        List<String> keys =
                IntStream.range(0, 10_000).mapToObj(HostileKeysTest::colliding).toList();
        assertThat(keys).extracting(String::hashCode).containsOnly(keys.get(0).hashCode());
        for (int i = 0; i < keys.size(); i++) {
            assertThat(limiter.decide(keys.get(i), 1 + i % 10).allowed()).isTrue();
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(limiter.peek(keys.get(i), 0).remaining()).isEqualTo(9 - i % 10);
        }
    }

    /** The bits of {@code number} written in Aa and BB, which have the same hash code. */
    private static String colliding(int number) {
        StringBuilder key = new StringBuilder();
        for (int bit = 0; bit < 14; bit++) {
            key.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return key.toString();
    }
}
