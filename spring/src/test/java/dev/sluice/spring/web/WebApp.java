package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.Sightings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An application that is the same for servlets and for WebFlux. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({WebApp.Api.class, Sightings.class})
class WebApp {
    private static volatile CountDownLatch arrivals = new CountDownLatch(0);
    private static volatile Sinks.Empty<Void> gate = Sinks.empty();

    /** A latch that so many reports count down, which then are held until they are let go. */
    static CountDownLatch expect(int reports) {
        gate = Sinks.empty();
        arrivals = new CountDownLatch(reports);
        return arrivals;
    }

    static void letGo() {
        gate.tryEmitEmpty();
    }

    @RestController
    static class Api {
        @GetMapping({"/hello", "/free/hello", "/orders", "/hourly"})
        Mono<String> hello() {
            return Mono.just("hello");
        }

        @PostMapping("/login")
        ResponseEntity<String> login(@RequestParam("ok") boolean ok) {
            return ResponseEntity.status(ok ? 200 : 401).body("");
        }

        @GetMapping({"/report", "/patient-report"})
        Mono<String> report() {
            arrivals.countDown();
            return gate.asMono().thenReturn("report").timeout(Duration.ofSeconds(10));
        }

        @GetMapping("/search")
        Mono<String> search(@RequestAttribute(RateLimitAttributes.VERDICT) Verdict verdict) {
            return Mono.just(verdict.degraded() ? "short" : "full");
        }

        @GetMapping("/figures/{what}")
        Mono<String> figures(@PathVariable("what") String what) {
            return switch (what) {
                case "fails" -> Mono.error(new IllegalStateException("on purpose"));
                case "missing" -> Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND));
                case "status" -> Mono.error(new ResponseStatusException(HttpStatus.BAD_GATEWAY));
                case "slow" -> report();
                default -> Mono.just(what);
            };
        }

        @GetMapping("/annotated")
        @RateLimit("2 per 1h")
        public Mono<String> annotated() {
            return Mono.just("yes");
        }

        @GetMapping("/mine")
        @RateLimit(value = "1 per 1h", key = "#principal.name")
        public Mono<String> mine() {
            return Mono.just("yes");
        }

        @GetMapping("/by-rule")
        @RateLimit(rule = "never-by-itself")
        public Mono<String> byRule() {
            return Mono.just("yes");
        }
    }
}
