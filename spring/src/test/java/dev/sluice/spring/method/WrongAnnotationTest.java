package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What keeps an application from starting, and what it is told. */
class WrongAnnotationTest {
    record User(String id) {}

    static class BadLimit {
        @RateLimit("5 pre 1m")
        public void run() {}
    }

    static class NoLimit {
        @RateLimit
        public void run() {}
    }

    static class Both {
        @RateLimit(value = "5 per 1m", rule = "api")
        public void run() {}
    }

    static class NoSuchRule {
        @RateLimit(rule = "apu")
        public void run() {}
    }

    static class BadSyntax {
        @RateLimit(value = "5 per 1m", key = "#user.")
        public void run(User user) {}
    }

    static class NoSuchParameter {
        @RateLimit(value = "5 per 1m", key = "#usr.id")
        public void run(User user) {}
    }

    static class NoSuchProperty {
        @RateLimit(value = "5 per 1m", key = "#user.idd")
        public void run(User user) {}
    }

    static class NoSuchBean {
        @RateLimit(value = "5 per 1m", key = "@tenants.of(#user)")
        public void run(User user) {}
    }

    static class BadPermits {
        @RateLimit(value = "5 per 1m", permits = "#n +")
        public void run(int n) {}
    }

    static class BadWait {
        @RateLimit(value = "5 per 1m", waitUpTo = "a while")
        public void run() {}
    }

    static class LongWait {
        @RateLimit(value = "5 per 1m", waitUpTo = "1w")
        public void run() {}
    }

    static class WaitOfRule {
        @RateLimit(rule = "api", waitUpTo = "1s")
        public void run() {}
    }

    static class NoFallback {
        @RateLimit(value = "5 per 1m", fallback = "other")
        public String run(String text) {
            return text;
        }
    }

    static class OtherParameters {
        @RateLimit(value = "5 per 1m", fallback = "other")
        public String run(String text) {
            return text;
        }

        public String other(int number) {
            return "" + number;
        }
    }

    static class OtherReturn {
        @RateLimit(value = "5 per 1m", fallback = "other")
        public String run() {
            return "";
        }

        public int other() {
            return 0;
        }
    }

    static class NoSuchClass {
        @RateLimit(value = "5 per 1m", priority = "low")
        public void run() {}
    }

    static class Final {
        @RateLimit("5 per 1m")
        public final void run() {}
    }

    static class Hidden {
        @RateLimit("5 per 1m")
        private void run() {}

        @Override
        public String toString() {
            run();
            return "";
        }
    }

    static class Overloaded {
        @RateLimit("5 per 1m")
        public void run() {}

        @RateLimit("6 per 1m")
        public void run(int again) {}
    }

    static class NamedLikeARule {
        @RateLimit(value = "5 per 1m", name = "api")
        public void run() {}
    }

    static class NoSuchProperties {
        @RateLimit("${nope}")
        public void run() {}
    }

    static class NoSuchNameProperty {
        @RateLimit(value = "5 per 1m", name = "shop-${nope}")
        public void run() {}
    }

    static final class FinalClass {
        @RateLimit("5 per 1m")
        public void run() {}
    }

    record FinalRecord() {
        @RateLimit("5 per 1m")
        public void run() {}
    }

    abstract static sealed class Sealed permits Leaf {}

    static final class Leaf extends Sealed {
        @RateLimit("5 per 1m")
        public void run() {}
    }

    static sealed class OpenSealed permits OpenLeaf {
        @RateLimit("5 per 1m")
        public void run() {}
    }

    static non-sealed class OpenLeaf extends OpenSealed {}

    static class BadCondition {
        @RateLimit(value = "5 per 1m", condition = "#usr.id == 'ann'")
        public void run(User user) {}
    }

    static class ResultTooEarly {
        @RateLimit(value = "5 per 1m", condition = "#result.id == 'ann'")
        public User run(User user) {
            return user;
        }
    }

    static class BadUnless {
        @RateLimit(value = "5 per 1m", unless = "#result.idd == 'ann'")
        public User run(User user) {
            return user;
        }
    }

    static class UnlessOfMany {
        @RateLimit(value = "5 per 1m", unless = "#result == null")
        public Flux<String> run() {
            return Flux.empty();
        }
    }

    static class UnlessTwice {
        @RateLimit(rule = "api", key = "'a'", unless = "#result == null")
        @RateLimit(rule = "api", key = "'b'")
        public String run() {
            return "";
        }
    }

    static class HeldFuture {
        @RateLimit("5 at once")
        public Future<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class HeldAsync {
        @Async
        @RateLimit("5 at once")
        public void run() {}
    }

    @Async
    static class HeldAsyncClass {
        @RateLimit("5 at once")
        public Future<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class HeldCallable {
        @RateLimit("5 at once")
        public Callable<String> run() {
            return () -> "";
        }
    }

    static class HeldBody {
        @RateLimit(rule = "held")
        public ResponseEntity<Flux<String>> run() {
            return ResponseEntity.ok(Flux.empty());
        }
    }

    static class HeldLateBody {
        @RateLimit("5 at once")
        public Mono<ResponseEntity<Flux<String>>> run() {
            return Mono.empty();
        }
    }

    static class OddFlux {
        @RateLimit("5 per 1m")
        public ConnectableFlux<String> run() {
            return Flux.<String>empty().publish();
        }
    }

    static class Priority {
        @RateLimit(value = "5 per 1m", priority = "bulk")
        public void run() {}
    }

    static class TwoInOne {
        @RateLimit("5 per 1m, 100 per 1h")
        public void run() {}
    }

    static class BareName {
        @RateLimit(value = "5 per 1m", key = "user.id")
        public void run(User user) {}
    }

    static class BareNameInside {
        @RateLimit(value = "5 per 1m", condition = "#user.id.equals(name)")
        public void run(User user) {}
    }

    static class BareWord {
        @RateLimit(value = "5 per 1m", permits = "many")
        public void run() {}
    }

    static class Several {
        @RateLimit("5 pre 1m")
        public void one() {}

        @RateLimit(rule = "apu")
        public void two() {}

        @RateLimit("5 per 1m")
        private void three() {}

        @Override
        public String toString() {
            three();
            return "";
        }
    }

    static class Names {
        @RateLimit(value = "5 per 1m", key = "{args[0], method.name, target.class, #root.method}", name = "of-root")
        @RateLimit(value = "5 per 1m", key = "#users.?[id == 'ann'].![id]", name = "of-elements")
        @RateLimit(
                value = "5 per 1m",
                key = "{name: #byName[ann], 'of': T(Math).max(1, #users.size())}",
                name = "of-maps")
        public void run(java.util.List<User> users, Map<String, User> byName) {}
    }

    static final Map<Class<?>, String> WRONG = Map.ofEntries(
            Map.entry(
                    TwoInOne.class,
                    "@RateLimit on TwoInOne.run(): expected one limit, was '5 per 1m, 100 per 1h'; several are a list: "
                            + "{\"5 per 1m\", \"100 per 1h\"}"),
            Map.entry(
                    BareName.class,
                    "@RateLimit on BareName.run(User): key: 'user.id': there is no 'user' without #; known are #user, "
                            + "#principal, #request"),
            Map.entry(
                    BareNameInside.class,
                    "condition: '#user.id.equals(name)': there is no 'name' without #; known are #user, "),
            Map.entry(BareWord.class, "permits: 'many': there is no 'many' without #; known are #principal, "),
            Map.entry(BadLimit.class, "@RateLimit on BadLimit.run(): expected a limit such as '5 per 1m'"),
            Map.entry(NoLimit.class, "@RateLimit on NoLimit.run(): expected limits such as \"5 per 1m\", or rule"),
            Map.entry(Both.class, "@RateLimit on Both.run(): it names rule 'api', whose limits apply"),
            Map.entry(
                    NoSuchRule.class,
                    "@RateLimit on NoSuchRule.run(): rule: there is no rule named 'apu'; known are api, held"),
            Map.entry(BadSyntax.class, "@RateLimit on BadSyntax.run(User): key: '#user.': "),
            Map.entry(
                    NoSuchParameter.class,
                    "@RateLimit on NoSuchParameter.run(User): key: '#usr.id': there is no #usr; known are #user, "
                            + "#principal, #request"),
            Map.entry(
                    NoSuchProperty.class,
                    "@RateLimit on NoSuchProperty.run(User): key: '#user.idd': a User has no property 'idd'"),
            Map.entry(
                    NoSuchBean.class,
                    "@RateLimit on NoSuchBean.run(User): key: '@tenants.of(#user)': there is no bean named 'tenants'"),
            Map.entry(BadPermits.class, "@RateLimit on BadPermits.run(int): permits: '#n +': "),
            Map.entry(
                    BadWait.class,
                    "@RateLimit on BadWait.run(): waitUpTo: expected a duration such as 200ms, at most 10m, was 'a while'"),
            Map.entry(
                    LongWait.class,
                    "@RateLimit on LongWait.run(): waitUpTo: expected a duration such as 200ms, at most 10m, was '1w'"),
            Map.entry(
                    WaitOfRule.class,
                    "@RateLimit on WaitOfRule.run(): waitUpTo: whether calls wait is up to rule 'api'"),
            Map.entry(
                    NoFallback.class,
                    "@RateLimit on NoFallback.run(String): fallback: 'other': there is no other method 'other' in "
                            + "NoFallback"),
            Map.entry(
                    OtherParameters.class,
                    "@RateLimit on OtherParameters.run(String): fallback: 'other': expected other(String) or "
                            + "other(String, RateLimitedException), found other(int)"),
            Map.entry(
                    OtherReturn.class,
                    "@RateLimit on OtherReturn.run(): fallback: 'other': it returns int, and the method it replaces "
                            + "returns String"),
            Map.entry(
                    NoSuchClass.class,
                    "@RateLimit on NoSuchClass.run(): priority: sluice.priorities has no class 'low'; it has "
                            + "[background, core, normal]"),
            Map.entry(Final.class, "@RateLimit on Final.run(): a method that is private, static or final"),
            Map.entry(Hidden.class, "@RateLimit on Hidden.run(): a method that is private, static or final"),
            Map.entry(
                    Overloaded.class,
                    "the name 'Overloaded.run' is taken by the limit of "
                            + "dev.sluice.spring.method.WrongAnnotationTest$Overloaded.run("),
            Map.entry(
                    NoSuchProperties.class,
                    "@RateLimit on NoSuchProperties.run(): value: '${nope}': there is no such property"),
            Map.entry(
                    NoSuchNameProperty.class,
                    "@RateLimit on NoSuchNameProperty.run(): name: 'shop-${nope}': there is no such property"),
            Map.entry(
                    FinalClass.class,
                    "WrongAnnotationTest$FinalClass: no proxy of the class can be made: it is final; make it a class "
                            + "that can be extended"),
            Map.entry(FinalRecord.class, "$FinalRecord: no proxy of the class can be made: it is a record"),
            Map.entry(Leaf.class, "$Leaf: no proxy of the class can be made: it is final"),
            Map.entry(OpenSealed.class, "$OpenSealed: no proxy of the class can be made: it is sealed"),
            Map.entry(
                    BadCondition.class,
                    "@RateLimit on BadCondition.run(User): condition: '#usr.id == 'ann'': there is no #usr; known are "
                            + "#user"),
            Map.entry(
                    ResultTooEarly.class,
                    "@RateLimit on ResultTooEarly.run(User): condition: '#result.id == 'ann'': there is no #result"),
            Map.entry(
                    BadUnless.class,
                    "@RateLimit on BadUnless.run(User): unless: '#result.idd == 'ann'': a User has no property 'idd'"),
            Map.entry(
                    UnlessOfMany.class,
                    "@RateLimit on UnlessOfMany.run(): unless: '#result == null': a Flux has no one result"),
            Map.entry(
                    UnlessTwice.class,
                    "@RateLimit on UnlessTwice.run(): unless: another annotation of the method has the same rule 'api'"),
            Map.entry(
                    HeldFuture.class,
                    "@RateLimit on HeldFuture.run(): permits that are held until the call is done: a Future does not "
                            + "say when it is done: let it return a CompletableFuture"),
            Map.entry(
                    HeldAsync.class,
                    "@RateLimit on HeldAsync.run(): permits that are held until the call is done: an @Async method that "
                            + "returns void does not say when it is done: let it return a CompletableFuture"),
            Map.entry(HeldAsyncClass.class, "HeldAsyncClass.run(): permits that are held until the call is done: "),
            Map.entry(
                    HeldCallable.class,
                    "@RateLimit on HeldCallable.run(): permits that are held until the call is done: a Callable runs "
                            + "after the method has returned: limit the handler method"),
            Map.entry(HeldBody.class, "the body is written after the method has returned: return the body itself"),
            Map.entry(HeldLateBody.class, "the body is written after the method has returned: return the body itself"),
            Map.entry(
                    OddFlux.class,
                    "@RateLimit on OddFlux.run(): it returns a ConnectableFlux, which cannot be wrapped: declare a "
                            + "Flux"),
            Map.entry(NamedLikeARule.class, "NamedLikeARule.run(): the name 'api' is taken by a rule"));

    @Test
    void allMethodsOfAClassAreToldOf() {
        Contexts.of(Several.class)
                .run(context -> assertThat(cause(context.getStartupFailure()))
                        .isInstanceOf(RateLimitConfigurationException.class)
                        .hasMessageContainingAll(
                                "@RateLimit on Several.one(): expected a limit",
                                "@RateLimit on Several.two(): rule: there is no rule named 'apu'",
                                "@RateLimit on Several.three(): a method that is private"));
    }

    static class ByRule {
        @RateLimit(rule = "without-key")
        public void without() {}

        @RateLimit(rule = "with-key", key = "'a'")
        public void with() {}
    }

    /** The key of a rule for annotations is from the annotation, or else from the web request, which has no such attribute. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aKeyThatNothingSets(CapturedOutput output) {
        Contexts.of(
                        ByRule.class,
                        "sluice.rules[0].name=without-key",
                        "sluice.rules[0].when.caller=method",
                        "sluice.rules[0].key=usr",
                        "sluice.rules[0].limits=5 per 1m",
                        "sluice.rules[1].name=with-key",
                        "sluice.rules[1].when.caller=method",
                        "sluice.rules[1].key=usr",
                        "sluice.rules[1].limits=5 per 1m")
                .run(context -> assertThat(output)
                        .contains(
                                "@RateLimit on ByRule.without(): rule 'without-key': nothing sets the attribute 'usr'; did"
                                        + " you mean 'user'?; a bean of type RuleAttribute would, or a key in the annotation")
                        .doesNotContain("rule 'with-key'"));
    }

    static final java.util.List<Arguments> ALL = WRONG.entrySet().stream()
            .map(each -> Arguments.of(each.getKey(), each.getValue()))
            .toList();

    @ParameterizedTest
    @FieldSource("ALL")
    void theApplicationDoesNotStartAndIsToldWhy(Class<?> bean, String message) {
        Contexts.of(
                        bean,
                        "sluice.rules[0].name=api",
                        "sluice.rules[0].when.path=/api/**",
                        "sluice.rules[0].limits[0]=5 per 1m",
                        "sluice.rules[1].name=held",
                        "sluice.rules[1].when.path=/held/**",
                        "sluice.rules[1].limits[0]=5 at once")
                .run(context -> {
                    Throwable failure = cause(context.getStartupFailure());
                    assertThat(failure).isInstanceOf(RateLimitConfigurationException.class);
                    assertThat(failure).hasMessageContaining(message);
                });
    }

    @Test
    void namesWithoutAHashThatAreRight() {
        Contexts.of(Names.class)
                .run(context -> context.getBean(Names.class).run(java.util.List.of(new User("ann")), Map.of()));
    }

    @Test
    void aShareThatIsNone() {
        Contexts.of(Priority.class, "sluice.priorities.bulk=150").run(context -> {
            Throwable failure = cause(context.getStartupFailure());
            assertThat(failure).hasMessage("sluice.priorities.bulk: expected a share from 1 to 100 percent, was 150");
        });
    }

    static @Nullable Throwable cause(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof RateLimitConfigurationException)) {
            cause = cause.getCause();
        }
        return cause;
    }
}
