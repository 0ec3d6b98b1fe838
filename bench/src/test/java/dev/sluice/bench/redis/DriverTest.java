package dev.sluice.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.core.Keys;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DriverTest {
    /** Answers when there are as many to answer as may be in flight. */
    private static final class Hesitant implements Subject {
        final Set<String> asked = new HashSet<>();
        private final Queue<Reply> waiting = new ArrayDeque<>();
        private final int most;

        Hesitant(int most) {
            this.most = most;
        }

        @Override
        public boolean tryAcquire(String key) {
            return true;
        }

        @Override
        public void tryAcquire(String key, Reply reply) {
            asked.add(key);
            waiting.add(reply);
            assertThat(waiting).hasSizeLessThanOrEqualTo(most);
            if (waiting.size() == most) {
                waiting.forEach(each -> each.decided(true));
                waiting.clear();
            }
        }

        @Override
        public void close() {}
    }

    /** Answers later, and not what was hoped for. */
    private record Contrary(boolean fails) implements Subject {
        @Override
        public boolean tryAcquire(String key) {
            return false;
        }

        @Override
        public void tryAcquire(String key, Reply reply) {
            CompletableFuture.runAsync(() -> {
                if (fails) {
                    reply.failed(new IllegalArgumentException("gone"));
                } else {
                    reply.decided(false);
                }
            });
        }

        @Override
        public void close() {}
    }

    @Test
    void everyKeyIsAskedForOnce() {
        Hesitant subject = new Hesitant(10);
        Driver.once(subject, new RedisThroughput.KeyRing(Keys.create(100)), 10, 100);
        assertThat(subject.asked).containsExactlyInAnyOrder(Keys.create(100));
    }

    @Test
    void whatIsDeniedOrFailsEndsIt() {
        assertThatThrownBy(() -> Driver.inFlight(new Contrary(false), () -> "key", 10, 60_000))
                .hasRootCauseMessage("denied, where the benchmark measures only allowed calls");
        assertThatThrownBy(() -> Driver.inFlight(new Contrary(true), () -> "key", 10, 60_000))
                .hasRootCauseMessage("gone");
    }

    @Test
    void callsAreCounted() {
        AtomicInteger calls = new AtomicInteger();
        Driver.Pace pace = Driver.blocking(calls::incrementAndGet, 3, 5);
        assertThat(pace.decisions()).isEqualTo(calls.get()).isPositive();
        assertThat(pace.perSecond()).isPositive();
    }

    @Test
    void aCallThatThrowsEndsIt() {
        Runnable call = () -> {
            throw new IllegalArgumentException("no");
        };
        assertThatThrownBy(() -> Driver.blocking(call, 2, 5)).hasRootCauseMessage("no");
    }
}
