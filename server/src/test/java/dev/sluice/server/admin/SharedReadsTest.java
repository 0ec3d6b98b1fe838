package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ManualClock;
import dev.sluice.redis.servers.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that several pages share. */
class SharedReadsTest {
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final ManualClock clock = new ManualClock();
    private final SharedReads reads = new SharedReads(vertx, clock);
    private final AtomicInteger made = new AtomicInteger();

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private String read(String what, Object of, Supplier<String> answer) {
        return reads.read(what, of, answer)
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .toString();
    }

    private String numbered() {
        return "answer " + made.incrementAndGet();
    }

    @Test
    void anAnswerIsGivenForHalfASecond() {
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
        clock.advance(Duration.ofMillis(499));
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
        clock.advance(Duration.ofMillis(1));
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 2");
    }

    @Test
    void anotherQuestionAndOtherRulesHaveAnAnswerOfTheirOwn() {
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
        assertThat(read("figures", "rules", this::numbered)).isEqualTo("answer 2");
        assertThat(read("live", "other rules", this::numbered)).isEqualTo("answer 3");
        assertThat(read("live", "other rules", this::numbered)).isEqualTo("answer 3");
    }

    @Test
    void aFailureIsNotKept() {
        assertThatThrownBy(() -> read("live", "rules", () -> {
                    throw new IllegalStateException("no figures");
                }))
                .hasRootCauseMessage("no figures");
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
    }

    @Test
    void ofMoreAnswersThanAreKeptThoseThatWereAskedForLeastLatelyAreMadeAgain() {
        assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
        for (int i = 2; i <= 20; i++) {
            assertThat(read("rule " + i, "rules", this::numbered)).isEqualTo("answer " + i);
            assertThat(read("live", "rules", this::numbered)).isEqualTo("answer 1");
        }
        assertThat(read("rule 20", "rules", this::numbered)).isEqualTo("answer 20");
        assertThat(read("rule 2", "rules", this::numbered)).isEqualTo("answer 21");
    }

    @Test
    void noAnswerStaysInMemoryWhenNobodyAsksAgain() {
        read("live", "rules", this::numbered);
        assertThat(reads.count()).isEqualTo(1);
        clock.advance(Duration.ofMillis(500));
        Eventually.holds("it is forgotten", Duration.ofSeconds(10), () -> reads.count() == 0);
    }

    /** Else the slower the answers were, the more often each would be made. */
    @Test
    void everyAnswerThatWaitsToBeMadeIsMadeOnce() throws Exception {
        CountDownLatch begin = new CountDownLatch(1);
        List<Future<Buffer>> asked = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 30; i++) {
                asked.add(reads.read("rule " + i, "rules", () -> {
                    awaitQuietly(begin);
                    return numbered();
                }));
            }
        }
        begin.countDown();
        Future.join(asked).toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(made).hasValue(30);
        for (int i = 0; i < asked.size(); i++) {
            assertThat(asked.get(i).result()).isEqualTo(asked.get(i % 30).result());
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
