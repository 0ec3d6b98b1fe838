package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

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

    static final Map<Class<?>, String> WRONG = Map.ofEntries(
            Map.entry(BadLimit.class, "@RateLimit on BadLimit.run(): expected a limit such as '5 per 1m'"),
            Map.entry(NoLimit.class, "@RateLimit on NoLimit.run(): expected limits such as \"5 per 1m\", or rule"),
            Map.entry(Both.class, "@RateLimit on Both.run(): it names rule 'api', whose limits apply"),
            Map.entry(
                    NoSuchRule.class,
                    "@RateLimit on NoSuchRule.run(): rule: there is no rule named 'apu'; known are api"),
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
            Map.entry(Overloaded.class, "the name 'Overloaded.run' is taken by the limit of Overloaded.run("),
            Map.entry(NamedLikeARule.class, "NamedLikeARule.run(): the name 'api' is taken by a rule"));

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
                        "sluice.rules[0].limits[0]=5 per 1m")
                .run(context -> {
                    Throwable failure = cause(context.getStartupFailure());
                    assertThat(failure).isInstanceOf(RateLimitConfigurationException.class);
                    assertThat(failure).hasMessageContaining(message);
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
