package dev.sluice.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Store;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.spring.test.TestClock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Clients that hang up before and after their request has its turn. */
class ReactiveVerdictsTest {
    private static final Request REQUEST = Request.of(Map.of(), 1);
    private static final Duration TURN = Duration.ofSeconds(10);

    private final TestClock clock = new TestClock();
    private final RuleEngine engine = new RuleEngine(
            Store.builder().ticker(clock).scheduler(clock).build(),
            RuleFile.parse("rules.yaml", """
                    rules:
                      - { name: queue, limits: [1 per 10s leaky-bucket capacity=10 queue] }
                    """),
            clock,
            clock,
            clock);
    private final AtomicInteger running = new AtomicInteger();

    private Disposable request() {
        return ReactiveVerdicts.await(engine, () -> engine.check(REQUEST), verdict -> verdict)
                .flatMap(verdict -> Mono.<Verdict>never().doOnSubscribe(begun -> running.incrementAndGet()))
                .subscribe();
    }

    /** How long the next request would be delayed. */
    private Duration delay() {
        Verdict verdict = engine.check(REQUEST).join();
        engine.refund(verdict).join();
        return Duration.ofNanos(1_000 * verdict.delayMicros());
    }

    /** Else whoever hangs up in time would be served for nothing. */
    @Test
    void whoHangsUpAfterItsTurnHasComeIsCharged() {
        request();
        Disposable second = request();
        clock.advance(TURN);
        Eventually.holds("the second runs", Duration.ofSeconds(30), () -> running.get() == 2);
        assertThat(delay()).isEqualTo(TURN);
        second.dispose();
        assertThat(delay()).isEqualTo(TURN);
    }

    @Test
    void whoHangsUpBeforeItsTurnIsRefundedOnce() {
        request();
        request();
        Duration before = delay();
        request().dispose();
        assertThat(delay()).isEqualTo(before);
        assertThat(engine.waiting()).isEqualTo(1);
    }

    /** How many permits are held. */
    private static long held(RuleEngine engine) {
        return 5
                - Objects.requireNonNull(engine.inspect("held", "").join())
                        .decision()
                        .remaining();
    }

    private RuleEngine queueAndHold() {
        return new RuleEngine(
                Store.builder().ticker(clock).scheduler(clock).build(),
                RuleFile.parse("rules.yaml", """
                        rules:
                          - { name: queue, limits: [1 per 10s leaky-bucket capacity=10 queue] }
                          - { name: held, limits: [5 at once] }
                        """),
                clock,
                clock,
                clock);
    }

    @Test
    void whoHangsUpWhenItsTurnHasComeAndHasNotBegunHoldsNothing() {
        RuleEngine both = queueAndHold();
        Mono<Verdict> request = ReactiveVerdicts.await(both, () -> both.check(REQUEST), verdict -> verdict);
        request.subscribe();
        Disposable second = request.subscribe();
        assertThat(held(both)).isEqualTo(2);
        try (HeldTasks tasks = new HeldTasks()) {
            clock.advance(TURN);
            Eventually.holds("the turn has come", Duration.ofSeconds(30), () -> !tasks.isEmpty());
            second.dispose();
            tasks.run();
        }
        assertThat(held(both)).isEqualTo(1);
        assertThat(both.waiting()).isZero();
    }

    @Test
    void anOwnerThatThrowsOwnsNothing() {
        RuleEngine both = queueAndHold();
        Mono<Verdict> request = ReactiveVerdicts.await(both, () -> both.check(REQUEST), verdict -> {
            throw new IllegalStateException("no owner");
        });
        assertThatThrownBy(request::block)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no owner");
        assertThat(held(both)).isZero();
    }

    @Test
    void aCheckThatThrowsFails() {
        Mono<Verdict> request = ReactiveVerdicts.await(
                engine,
                () -> {
                    throw new IllegalArgumentException("no rule");
                },
                verdict -> verdict);
        assertThatThrownBy(request::block)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no rule");
    }
}
