package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ManualClock;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
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
    void moreAnswersThanAreKeptAreMadeEachTime() {
        for (int i = 1; i <= 8; i++) {
            assertThat(read("rule " + i, "rules", this::numbered)).isEqualTo("answer " + i);
        }
        assertThat(read("rule 9", "rules", this::numbered)).isEqualTo("answer 9");
        assertThat(read("rule 9", "rules", this::numbered)).isEqualTo("answer 10");
        assertThat(read("rule 1", "rules", this::numbered)).isEqualTo("answer 1");
    }
}
