package dev.sluice.spring.test;

import static dev.sluice.assertj.SluiceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.client.ClientRateLimitFilters;
import dev.sluice.spring.client.ClientRateLimitInterceptors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SuppressWarnings("NullAway.Init")
@SpringJUnitConfig(AutoConfigureSluiceTest.App.class)
@TestPropertySource(
        properties = {
            "sluice.store=redis://127.0.0.1:1",
            "sluice.rules[0].name=one",
            "sluice.rules[0].limits=1 per 1m sliding-log",
            "sluice.rules[0].on-exceed=wait up to 10m",
            "sluice.rules[1].name=two",
            "sluice.rules[1].limits=1 per 1m sliding-log",
            "sluice.rules[1].on-exceed=wait up to 10m",
            "sluice.rules[2].name=queue",
            "sluice.rules[2].when.caller=method",
            "sluice.rules[2].limits=1 per 1m leaky-bucket capacity=5 queue",
            "sluice.rules[3].name=months",
            "sluice.rules[3].when.caller=method",
            "sluice.rules[3].limits=1 per 1d fixed-window aligned=Europe/Berlin"
        })
@AutoConfigureSluice
class AutoConfigureSluiceTest {
    @Configuration(proxyBeanMethods = false)
    @Import(Newsletter.class)
    static class App {
        @Bean
        Limiter own(Store store) {
            return store.limiter("own", Limit.parse("1 per 1d"));
        }
    }

    static class Newsletter {
        @RateLimit("1 per 1d sliding-log")
        public String send() {
            return "sent";
        }

        @RateLimit(value = "1 per 1d sliding-log", waitUpTo = "10m", key = "#who")
        public String patiently(String who) {
            return "sent to " + who;
        }

        @RateLimit("1 at once")
        public CompletableFuture<String> open(CompletableFuture<String> until) {
            return until;
        }

        @RateLimit(rule = "one")
        @RateLimit(rule = "two")
        public String both() {
            return "both";
        }

        @RateLimit(rule = "queue")
        public String queued() {
            return "queued";
        }

        @RateLimit(rule = "queue")
        public CompletableFuture<String> queuedLater() {
            return CompletableFuture.completedFuture("later");
        }
    }

    @Autowired
    Newsletter newsletter;

    @Autowired
    TestClock clock;

    @Autowired
    Limiter own;

    @Autowired
    RuleEngine engine;

    @Test
    void aDayPassesAtOnce() {
        assertThat(newsletter.send()).isEqualTo("sent");
        clock.advance(Duration.ofHours(23));
        assertThatThrownBy(newsletter::send).isInstanceOf(RateLimitedException.class);
        clock.advance(Duration.ofHours(1));
        assertThat(newsletter.send()).isEqualTo("sent");
    }

    /** Each starts anew, whatever those before have used, hold or wait for, and wherever their clock stood. */
    @RepeatedTest(3)
    void nothingIsLeftOfTheMethodBefore() {
        assertThat(clock.instant()).isEqualTo(TestClock.START);
        assertThat(clock.waiters()).isZero();
        clock.advance(Duration.ofDays(2000));
        assertThat(newsletter.send()).isEqualTo("sent");
        assertThat(own).allows(1).thenDenies();
        assertThat(newsletter.open(new CompletableFuture<>())).isNotDone();
        assertThat(newsletter.both()).isEqualTo("both");
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(newsletter::both);
        clock.awaitWaiters(1);
        engine.block("two", "", clock.instant().plusSeconds(60));
        clock.advance(Duration.ofSeconds(30));
        assertThat(waiting).isNotDone();
    }

    private static <T> T soon(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void whoWaitsGoesOnWhenTheClockSaysSo() {
        newsletter.patiently("bob");
        clock.advance(Duration.ofDays(1).minusMinutes(5));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> newsletter.patiently("bob"));
        clock.awaitWaiters(1);
        clock.advance(Duration.ofMinutes(5).minusNanos(1000));
        assertThat(waiting).isNotDone();
        clock.advance(Duration.ofNanos(1000));
        assertThat(soon(waiting)).isEqualTo("sent to bob");
    }

    @Test
    void whoWaitsForSeveralRulesGoesOnToo() {
        assertThat(newsletter.both()).isEqualTo("both");
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(newsletter::both);
        clock.awaitWaiters(1);
        assertThat(waiting).isNotDone();
        clock.advance(Duration.ofMinutes(1));
        assertThat(soon(waiting)).isEqualTo("both");
    }

    @Test
    void whoIsQueuedStartsWhenTheClockSaysSo() {
        assertThat(newsletter.queued()).isEqualTo("queued");
        CompletableFuture<String> second = CompletableFuture.supplyAsync(newsletter::queued);
        clock.awaitWaiters(1);
        CompletableFuture<String> third = newsletter.queuedLater();
        clock.awaitWaiters(2);
        clock.advance(Duration.ofMinutes(1));
        assertThat(soon(second)).isEqualTo("queued");
        assertThat(third).isNotDone();
        clock.advance(Duration.ofMinutes(1));
        assertThat(soon(third)).isEqualTo("later");
    }

    @Test
    void aDayOfTheCalendar() {
        clock.set(Instant.parse("2026-03-28T23:30:00Z")); // half past midnight in Berlin, on a day of 23 hours
        assertThat(engine).rule("months").key("").allows(1).thenDeniesFor(Duration.ofMinutes(22 * 60 + 30));
        clock.set(Instant.parse("2026-03-29T22:00:00Z"));
        assertThat(engine).rule("months").key("").allows(1).thenDenies();
    }

    @Test
    void anEarlierDayInAMethodAfterIt() {
        clock.set(Instant.parse("2001-01-01T00:00:00Z"));
        assertThat(newsletter.send()).isEqualTo("sent");
        clock.advance(Duration.ofDays(1));
        assertThat(newsletter.send()).isEqualTo("sent");
    }

    @Nested
    class NestedTest {
        @RepeatedTest(2)
        void isResetToo() {
            assertThat(newsletter.send()).isEqualTo("sent");
        }
    }

    @Nested
    @DirtiesContext(classMode = DirtiesContext.ClassMode.BEFORE_EACH_TEST_METHOD)
    class OnContextsOfTheirOwn {
        @RepeatedTest(2)
        void isResetToo(@Autowired Newsletter newsletter) {
            assertThat(newsletter.send()).isEqualTo("sent");
        }
    }

    /** In an application of its own: in a shared one the tests before have counted. */
    @Nested
    @SpringJUnitConfig(App.class)
    @TestPropertySource(properties = "test.application=without-reset")
    @AutoConfigureSluice(reset = false)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    class WithoutReset {
        @Test
        @Order(1)
        void first(@Autowired Newsletter newsletter, @Autowired TestClock clock) {
            assertThat(newsletter.send()).isEqualTo("sent");
            clock.advance(Duration.ofHours(1));
        }

        @Test
        @Order(2)
        void second(@Autowired Newsletter newsletter, @Autowired TestClock clock) {
            assertThatThrownBy(newsletter::send).isInstanceOf(RateLimitedException.class);
            clock.advance(Duration.ofHours(23));
            assertThat(newsletter.send()).isEqualTo("sent");
        }
    }

    @Test
    void everyClientBeanIsThere(
            @Autowired ClientRateLimitInterceptors interceptors, @Autowired ClientRateLimitFilters filters) {
        assertThat(interceptors.forRule("one")).isNotNull();
        assertThat(filters.forRule("one")).isNotNull();
    }

    /** So that slices have whatever applications have; except Redis, in whose place is memory. */
    @Test
    void everyAutoConfigurationIsInSlices() throws IOException {
        List<String> slices = lines("dev.sluice.spring.test.AutoConfigureSluice");
        List<String> all = new java.util.ArrayList<>(lines("org.springframework.boot.autoconfigure.AutoConfiguration"));
        all.remove("dev.sluice.spring.SluiceRedisAutoConfiguration");
        assertThat(slices).containsExactlyInAnyOrderElementsOf(all);
    }

    private static List<String> lines(String name) throws IOException {
        java.net.URL file = java.util.Collections.list(
                        AutoConfigureSluice.class.getClassLoader().getResources("META-INF/spring/" + name + ".imports"))
                .stream()
                .filter(each -> each.toString().contains("spring/target")
                        || each.toString().contains("sluice-spring"))
                .findFirst()
                .orElseThrow();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(file.openStream()), StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> line.startsWith("dev.sluice")).toList();
        }
    }

    @Nested
    @SpringBootTest(classes = App.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
    @AutoConfigureSluice
    class WithSpringBootTest {
        @RepeatedTest(2)
        void isResetToo(@Autowired Newsletter newsletter) {
            assertThat(newsletter.send()).isEqualTo("sent");
        }
    }
}
