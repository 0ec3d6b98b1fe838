package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.ManualClock;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleBuilder;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.UnderWay;
import dev.sluice.rules.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that are charged when it is known what became of a request, on a clock that the test moves. */
class UnderWayTest {
    private static final Request REQUEST = request("ip=203.0.113.9");

    private final ManualClock time = new ManualClock();
    private final List<String> told = new ArrayList<>();

    private RuleEngine engine(Rule... rules) {
        Store store = Store.builder().ticker(time).scheduler(this::schedule).build();
        RuleEngine engine =
                new RuleEngine(store, RuleSet.of(rules), () -> Instant.EPOCH.plusNanos(time.nanos()), time, time);
        engine.listener((request, verdict) -> verdict.decisions()
                .forEach(decision -> told.add(
                        decision.rule().name() + " " + decision.decision().outcome())));
        return engine;
    }

    /** Waits are over when the test says so, and what has no delay runs at once. */
    private Runnable schedule(long delayMicros, Runnable action) {
        return delayMicros <= 0 ? Scheduler.system().schedule(0, action) : time.schedule(delayMicros, action);
    }

    private static RuleBuilder failures(int max, Duration wait, Limit... limits) {
        return Rule.named("failures").key("ip").limits(limits).underWay(new UnderWay(max, wait));
    }

    private static Limit perMinute(int permits) {
        return Limit.slidingLog(permits, ofMinutes(1));
    }

    private static CompletableFuture<Verdict> begin(RuleEngine engine) {
        return engine.begin(REQUEST, everyRule -> true);
    }

    private static void end(RuleEngine engine, Verdict verdict, boolean failed) {
        engine.settle(REQUEST, verdict, rule -> failed).join();
    }

    private static long remaining(RuleEngine engine, String rule) {
        return Objects.requireNonNull(engine.inspect(rule, "203.0.113.9").join())
                .decision()
                .remaining();
    }

    @Test
    void onlyFailuresAreCharged() {
        RuleEngine engine = engine(failures(10, ofSeconds(5), perMinute(3)).build());
        for (int i = 0; i < 20; i++) {
            end(engine, begin(engine).join(), false);
        }
        assertThat(remaining(engine, "failures")).isEqualTo(3);
        assertThat(told).isEmpty();
        for (int i = 0; i < 3; i++) {
            end(engine, begin(engine).join(), true);
        }
        Verdict denied = begin(engine).join();
        assertThat(denied.allowed()).isFalse();
        assertThat(RateLimitHeaders.retryAfter(denied)).isEqualTo("60");
        assertThat(told).containsExactly("failures ALLOWED", "failures ALLOWED", "failures ALLOWED", "failures DENIED");
        time.advance(ofMinutes(1));
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void othersWaitForAPlaceInTurn() {
        RuleEngine engine = engine(failures(2, ofSeconds(5), perMinute(3)).build());
        Verdict first = begin(engine).join();
        Verdict second = begin(engine).join();
        CompletableFuture<Verdict> third = begin(engine);
        CompletableFuture<Verdict> fourth = begin(engine);
        assertThat(third).isNotDone();
        end(engine, first, false);
        assertThat(third.join().allowed()).isTrue();
        assertThat(fourth).isNotDone();
        end(engine, second, true);
        assertThat(fourth.join().allowed()).isTrue();
    }

    @Test
    void whoFindsNoPlaceInTimeIsDeniedByTheRule() {
        RuleEngine engine = engine(failures(1, ofSeconds(5), perMinute(3)).build());
        Verdict held = begin(engine).join();
        CompletableFuture<Verdict> waiting = begin(engine);
        time.advance(ofSeconds(5));
        Verdict denied = waiting.join();
        assertThat(denied.allowed()).isFalse();
        assertThat(QuotaExceeded.members(denied)).containsEntry("rule", "failures");
        assertThat(RateLimitHeaders.retryAfter(denied)).isEqualTo("1");
        end(engine, held, false);
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void whoWaitsForAPlaceIsDeniedOnceTheLimitIsUsedUp() {
        RuleEngine engine = engine(failures(2, ofSeconds(5), perMinute(2)).build());
        List<Verdict> held = List.of(begin(engine).join(), begin(engine).join());
        List<CompletableFuture<Verdict>> waiting =
                Stream.generate(() -> begin(engine)).limit(100).toList();
        held.forEach(each -> end(engine, each, true));
        // one came in between the two, and nobody waits any more although it is still under way
        assertThat(waiting.stream().map(CompletableFuture::join).filter(Verdict::allowed))
                .hasSize(1);
    }

    /** All that were let in are counted, in the limit or beyond it, and the next comes in a minute after the last of them. */
    @Test
    void whatIsBeyondTheLimitClosesItForAWholeWindow() {
        RuleEngine engine = engine(failures(5, ofSeconds(5), perMinute(2)).build());
        List<Verdict> held =
                Stream.generate(() -> begin(engine).join()).limit(5).toList();
        for (Verdict each : held) {
            end(engine, each, true);
            time.advance(ofSeconds(1));
        }
        time.advance(ofSeconds(56)); // the first two have left the window; the last came at 4
        Verdict denied = begin(engine).join();
        assertThat(denied.allowed()).isFalse();
        assertThat(RateLimitHeaders.retryAfter(denied)).isEqualTo("3");
        assertThat(RateLimitHeaders.state(denied)).isEqualTo("\"failures\";r=0;t=3");
        assertThat(remaining(engine, "failures")).isZero();
        time.advance(ofSeconds(3));
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void aResetForgetsTheExcessToo() {
        RuleEngine engine = engine(failures(5, ofSeconds(5), perMinute(2)).build());
        Stream.generate(() -> begin(engine).join()).limit(5).toList().forEach(each -> end(engine, each, true));
        assertThat(begin(engine).join().allowed()).isFalse();
        engine.reset("failures", "203.0.113.9");
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    // ---- All or nothing

    @Test
    void whatAnotherRuleDeniesKeepsNoPlace() {
        RuleEngine engine = engine(
                failures(1, Duration.ZERO, perMinute(3)).build(),
                Rule.named("all").key("ip").limits(perMinute(2)).build());
        end(engine, begin(engine).join(), false);
        end(engine, begin(engine).join(), false);
        assertThat(begin(engine).join().allowed()).isFalse();
        engine.reset("all", "203.0.113.9");
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void whatTheLimitDeniesTakesNothingOfOtherRules() {
        RuleEngine engine = engine(
                failures(1, ofSeconds(5), perMinute(1)).build(),
                Rule.named("all").key("ip").limits(perMinute(10)).build());
        end(engine, begin(engine).join(), true);
        for (int i = 0; i < 5; i++) {
            assertThat(begin(engine).join().allowed()).isFalse();
        }
        assertThat(remaining(engine, "all")).isEqualTo(9);
    }

    @Test
    void aRefundFreesThePlaceAndGivesBackTheRest() {
        RuleEngine engine = engine(
                failures(1, Duration.ZERO, perMinute(3)).build(),
                Rule.named("all").key("ip").limits(perMinute(10)).build());
        engine.refund(begin(engine).join()).join();
        assertThat(remaining(engine, "all")).isEqualTo(10);
        assertThat(remaining(engine, "failures")).isEqualTo(3);
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void cancellingTakesNothing() {
        RuleEngine engine = engine(
                failures(1, ofSeconds(5), perMinute(3)).build(),
                Rule.named("all").key("ip").limits(perMinute(10)).build());
        Verdict held = begin(engine).join();
        CompletableFuture<Verdict> cancelled = begin(engine);
        CompletableFuture<Verdict> behind = begin(engine);
        assertThat(cancelled.cancel(false)).isTrue();
        end(engine, held, false);
        assertThat(behind.join().allowed()).isTrue();
        assertThat(remaining(engine, "all")).isEqualTo(8);
    }

    @Test
    void settlingTwiceFreesOnePlace() {
        RuleEngine engine = engine(failures(1, Duration.ZERO, perMinute(3)).build());
        Verdict first = begin(engine).join();
        end(engine, first, false);
        Verdict second = begin(engine).join();
        engine.release(first).join();
        assertThat(begin(engine).join().allowed()).isFalse();
        end(engine, second, false);
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    // ---- What else a rule can say

    @Test
    void aRuleThatWaitsWaitsForThePermit() {
        RuleEngine engine = engine(failures(5, ofSeconds(5), Limit.slidingLog(1, ofSeconds(10)))
                .onExceed(OnExceed.waitUpTo(ofSeconds(20)))
                .build());
        end(engine, begin(engine).join(), true);
        CompletableFuture<Verdict> waiting = begin(engine);
        assertThat(waiting).isNotDone();
        time.advance(ofSeconds(10));
        assertThat(waiting.join().allowed()).isTrue();
    }

    /** What frees a permit before its time, or ends all waits, is told to those who wait for it. */
    @Test
    void whoWaitsForThePermitHearsOfWhatChangesIt() {
        RuleBuilder rule = failures(5, ofSeconds(5), perMinute(1)).onExceed(OnExceed.waitUpTo(ofMinutes(2)));
        RuleEngine engine = engine(rule.build());
        end(engine, begin(engine).join(), true);
        CompletableFuture<Verdict> first = begin(engine);
        assertThat(first).isNotDone();
        assertThat(engine.waiting()).isEqualTo(1);
        engine.reset("failures", "203.0.113.9");
        assertThat(first).isCompletedWithValueMatching(Verdict::allowed);
        end(engine, first.join(), true);
        CompletableFuture<Verdict> second = begin(engine);
        engine.apply(RuleSet.of(rule.limits(perMinute(2)).build()));
        assertThat(second).isCompletedWithValueMatching(Verdict::allowed);
        end(engine, second.join(), true);
        CompletableFuture<Verdict> third = begin(engine);
        engine.endWaits();
        assertThat(third).isCompletedWithValueMatching(verdict -> !verdict.allowed());
        assertThat(engine.waiting()).isZero();
    }

    @Test
    void aResetOfAllDeniesWhoWaitsForThePermit() {
        RuleEngine engine = engine(failures(5, ofSeconds(5), perMinute(1))
                .onExceed(OnExceed.waitUpTo(ofMinutes(2)))
                .build());
        end(engine, begin(engine).join(), true);
        CompletableFuture<Verdict> waiting = begin(engine);
        engine.reset();
        assertThat(waiting).isCompletedWithValueMatching(verdict -> !verdict.allowed());
        assertThat(begin(engine)).isCompletedWithValueMatching(Verdict::allowed);
    }

    @Test
    void aShadowTakesNoPlaceAndDeniesNothing() {
        RuleEngine engine = engine(failures(1, Duration.ZERO, perMinute(1))
                .onExceed(OnExceed.SHADOW)
                .build());
        List<Verdict> held =
                Stream.generate(() -> begin(engine).join()).limit(3).toList();
        assertThat(held).allMatch(Verdict::allowed);
        held.forEach(each -> end(engine, each, true));
        assertThat(begin(engine).join().allowed()).isTrue();
        assertThat(told).containsExactly("failures ALLOWED", "failures SHADOWED");
    }

    @Test
    void aBlockedKeyIsDeniedAndAnUnlimitedOneTakesNoPlace() {
        RuleEngine engine = engine(failures(1, Duration.ZERO, perMinute(1)).build());
        engine.block("failures", "203.0.113.9", Instant.EPOCH.plusSeconds(60));
        assertThat(begin(engine).join().allowed()).isFalse();
        engine.override("failures", "203.0.113.9", List.of(), Instant.EPOCH.plusSeconds(60));
        assertThat(Stream.generate(() -> begin(engine).join()).limit(5)).allMatch(Verdict::allowed);
    }

    @Test
    void rulesMayChangeWhileRequestsAreUnderWay() {
        RuleEngine engine = engine(failures(1, ofSeconds(5), perMinute(3)).build());
        Verdict held = begin(engine).join();
        CompletableFuture<Verdict> waiting = begin(engine);
        engine.apply(RuleSet.of());
        assertThat(begin(engine).join().decisions()).isEmpty();
        end(engine, held, true);
        time.advance(ofSeconds(5));
        assertThat(waiting).isDone();
        engine.apply(RuleSet.of(failures(1, ofSeconds(5), perMinute(3)).build()));
        end(engine, begin(engine).join(), true);
        assertThat(begin(engine).join().allowed()).isTrue();
    }

    @Test
    void aLimitThatHoldsCannotBeChargedLater() {
        assertThatThrownBy(() -> failures(1, ofSeconds(5), Limit.concurrency(5)).build())
                .hasMessage("rule 'failures' is charged when a request has run, so it cannot have a limit such as "
                        + "'5 at once'");
        assertThatThrownBy(() -> new UnderWay(0, ofSeconds(5)))
                .hasMessage("1 to 10000 requests may be under way, was 0");
    }

    // ---- The bound

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.slidingLog(3, ofMinutes(1)),
                Limit.slidingWindow(3, ofMinutes(1), 6),
                Limit.slidingLog(1, ofSeconds(10)));
    }

    private record Entry(long at, Verdict verdict, boolean fails, long endsAt) {}

    /** Attackers at random times, with requests that take a random time: never more within a window than is stated. */
    @ParameterizedTest
    @MethodSource("limits")
    void inNoWindowDoMoreFailThanTheLimitAndThoseUnderWay(Limit limit) {
        Duration window = Objects.requireNonNull(limit.period());
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            int max = 1 + random.nextInt(8);
            RuleEngine engine = engine(failures(max, Duration.ZERO, limit).build());
            List<Entry> open = new ArrayList<>();
            List<Long> failed = new ArrayList<>();
            for (int step = 0; step < 400; step++) {
                time.advance(Duration.ofMillis(random.nextInt((int) window.toMillis() / 20)));
                for (Entry each : List.copyOf(open)) {
                    if (each.endsAt <= time.nanos()) {
                        end(engine, each.verdict, each.fails);
                        open.remove(each);
                    }
                }
                for (int i = random.nextInt(2 * max); i > 0; i--) {
                    Verdict verdict = begin(engine).join();
                    if (verdict.allowed()) {
                        boolean fails = random.nextInt(10) > 0;
                        long takes = random.nextInt(3) == 0 ? 0 : random.nextLong(window.toNanos() / 10);
                        open.add(new Entry(time.nanos(), verdict, fails, time.nanos() + takes));
                        if (fails) {
                            failed.add(time.nanos());
                        }
                    }
                }
            }
            assertThat(failed).as("seed %d", seed).hasSizeGreaterThan(5);
            for (int i = 0; i < failed.size(); i++) {
                long from = failed.get(i);
                long within = failed.stream()
                        .filter(at -> at >= from && at < from + window.toNanos())
                        .count();
                assertThat(within).as("seed %d, max %d", seed, max).isLessThanOrEqualTo(limit.permits() + max);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    void whereNothingFailsNobodyIsDenied(int atOnce) {
        RuleEngine engine = engine(failures(10, ofSeconds(5), perMinute(1)).build());
        List<CompletableFuture<Verdict>> all =
                Stream.generate(() -> begin(engine)).limit(atOnce).toList();
        all.forEach(each -> {
            assertThat(each.join().allowed()).isTrue();
            end(engine, each.join(), false);
        });
    }

    @Test
    void tenThousandKeysLeaveNothingBehind() {
        Store store = Store.local(time);
        RuleEngine engine = new RuleEngine(
                store,
                RuleSet.of(failures(2, ofSeconds(5), perMinute(3)).build()),
                () -> Instant.EPOCH.plusNanos(time.nanos()),
                time,
                time);
        for (int i = 0; i < 10_000; i++) {
            Request each = request("ip=10." + i / 62500 + "." + i / 250 % 250 + "." + i % 250);
            Verdict verdict = engine.begin(each, everyRule -> true).join();
            engine.settle(each, verdict, rule -> true).join();
        }
        assertThat(store.usage().keys()).isGreaterThanOrEqualTo(10_000);
        time.advance(ofMinutes(2));
        for (int i = 0; i < 50_000; i++) {
            end(engine, begin(engine).join(), false);
        }
        assertThat(store.usage().keys()).isLessThan(1000);
    }
}
