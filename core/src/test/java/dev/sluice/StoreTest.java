package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limiters by name, and requests that ask several of them. */
class StoreTest {
    private final Store store = Store.local(() -> 0);

    @Test
    void limitersOfOneNameShareTheirCounters() {
        assertThat(store.limiter("login", perMinute(1)).tryAcquire("ann")).isTrue();
        assertThat(store.limiter("login", perMinute(1)).tryAcquire("ann")).isFalse();
        assertThat(store.limiter("search", perMinute(1)).tryAcquire("ann")).isTrue();
    }

    @Test
    void otherLimitsUnderTheSameNameTakeItsPlace() {
        Limiter login = store.limiter("login", perMinute(1));
        login.decide("ann");
        assertThat(store.limiter("login", OnFailure.DENY, perMinute(3))
                        .decide("ann")
                        .remaining())
                .isEqualTo(1);
        assertThat(login.limits()).containsExactly(perMinute(3));
    }

    @Test
    void whatIsForgottenBeginsFresh() {
        store.limiter("login", perMinute(1)).tryAcquire("ann");
        store.forget("login");
        assertThat(store.limiter("login", perMinute(1)).tryAcquire("ann")).isTrue();
    }

    /** As tests need it between one and the next: the same limiters, from the start, at an earlier time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 per 1m",
                "1 per 1m fixed-window",
                "1 per 1m sliding-log",
                "1 per 1m token-bucket",
                "1 per 1m leaky-bucket",
                "1 at once"
            })
    void whatIsResetBeginsAnewEvenAtAnEarlierTime(String limit) {
        ManualClock clock = new ManualClock();
        Store store = Store.builder().clock(clock).build();
        Limiter limiter = store.limiter("login", Limit.parse(limit));
        for (int round = 0; round < 3; round++) {
            clock.advance(Duration.ofDays(2));
            for (String key : List.of("", "ann")) {
                Decision taken = limiter.decide(key);
                assertThat(taken.allowed())
                        .as(limit + " '" + key + "' in round " + round)
                        .isTrue();
                assertThat(limiter.decide(key).allowed()).isFalse();
                CompletableFuture<Decision> waiting = limiter.acquireAsync(key, 1, Duration.ofMinutes(10));
                assertThat(waiting).isNotDone();
                store.reset();
                assertThat(waiting).isCompletedWithValueMatching(answer -> !answer.allowed());
                clock.stepBack(Duration.ofDays(1));
                assertThat(limiter.decide(key).allowed()).isTrue();
                limiter.release(key, taken); // of before, and so without effect
                assertThat(limiter.decide(key).allowed()).isFalse();
                if (!limit.endsWith("at once")) {
                    clock.advance(Duration.ofMinutes(2));
                    assertThat(limiter.decide(key).allowed()).isTrue();
                }
                store.reset();
            }
        }
        assertThat(clock.pending()).isZero();
    }

    @Test
    void aRequestIsChargedToAllOrToNone() {
        Limiter perUser = store.limiter("user", perMinute(5));
        Limiter perIp = store.limiter("ip", perMinute(2));
        List<Charge> charges = List.of(new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1));
        for (int i = 1; i <= 2; i++) {
            List<Decision> taken = store.decideAll(charges).join();
            assertThat(taken).allMatch(Decision::allowed);
            assertThat(taken).extracting(Decision::remaining).containsExactly(5L - i, 2L - i);
        }
        List<Decision> denied = store.decideAll(charges).join();
        assertThat(denied).extracting(Decision::allowed).containsExactly(true, false);
        assertThat(perUser.peek("ann", 0).remaining()).isEqualTo(3);
        assertThat(perIp.peek("192.0.2.7", 0).remaining()).isZero();
    }

    @Test
    void whoeverComesAfterTheDenierIsNotCharged() {
        Limiter first = store.limiter("first", perMinute(1));
        Limiter last = store.limiter("last", perMinute(5));
        List<Charge> charges = List.of(new Charge(first, "", 2), new Charge(last, "", 2));
        List<Decision> denied = store.decideAll(charges).join();
        assertThat(denied).extracting(Decision::outcome).containsExactly(Outcome.NEVER, Outcome.ALLOWED);
        assertThat(last.peek("", 0).remaining()).isEqualTo(5);
    }

    @Test
    void eachOfSeveralLimitsSaysHowItStands() {
        Limiter both = store.limiter("both", perMinute(2), Limit.fixedWindow(5, Duration.ofDays(1)));
        assertThat(both.decide().perLimit())
                .extracting(Decision::limit, Decision::remaining)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(2L, 1L), org.assertj.core.groups.Tuple.tuple(5L, 4L));
        both.decide();
        Decision denied = both.decide();
        assertThat(denied.perLimit()).extracting(Decision::allowed).containsExactly(false, true);
        assertThat(denied.perLimit().get(0).retryAfter()).isEqualTo(Duration.ofMinutes(1));
        Decision one = store.limiter("one", perMinute(2)).decide();
        assertThat(one.perLimit()).containsExactly(one);
    }

    private static Limit perMinute(long permits) {
        return Limit.slidingLog(permits, Duration.ofMinutes(1));
    }

    @Test
    void waitsOnTheClockOfATest() {
        ManualClock clock = new ManualClock();
        try (Store store = Store.builder().clock(clock).build()) {
            Limiter limiter = store.limiter("a", Limit.slidingLog(1, Duration.ofMinutes(1)));
            limiter.decide("k");
            CompletableFuture<Decision> waiting = limiter.acquireAsync("k", Duration.ofMinutes(2));
            assertThat(waiting).isNotDone();
            clock.advance(Duration.ofMinutes(1));
            assertThat(waiting.join().allowed()).isTrue();
        }
    }
}
