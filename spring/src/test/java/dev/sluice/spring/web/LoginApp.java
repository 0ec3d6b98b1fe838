package dev.sluice.spring.web;

import dev.sluice.spring.RateLimit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/** An application with a password check, the same for servlets and for WebFlux. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(LoginApp.Api.class)
class LoginApp {
    /** How many requests have reached the application. */
    static final class Arrivals {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger wrong = new AtomicInteger();

        int count() {
            return count.get();
        }

        /** How many of them had a wrong password. */
        int wrong() {
            return wrong.get();
        }

        void add(boolean ok) {
            wrong.addAndGet(ok ? 0 : 1);
            count.incrementAndGet();
        }
    }

    @Bean
    Arrivals arrivals() {
        return new Arrivals();
    }

    @RestController
    static class Api {
        private final Arrivals arrivals;

        Api(Arrivals arrivals) {
            this.arrivals = arrivals;
        }

        private static ResponseEntity<String> answer(boolean ok) {
            return ResponseEntity.status(ok ? 200 : 401).body(ok ? "welcome" : "wrong");
        }

        @PostMapping("/login")
        Mono<ResponseEntity<String>> login(
                @RequestParam("ok") boolean ok, @RequestParam(name = "ms", defaultValue = "10") int millis) {
            arrivals.add(ok);
            return Mono.delay(Duration.ofMillis(millis)).map(passed -> answer(ok));
        }

        @PostMapping("/login/now")
        ResponseEntity<String> now(@RequestParam("ok") boolean ok) {
            arrivals.add(ok);
            return answer(ok);
        }

        @PostMapping("/login/empty")
        Mono<ResponseEntity<Void>> empty(@RequestParam("ok") boolean ok) {
            arrivals.add(ok);
            return Mono.delay(Duration.ofMillis(1))
                    .map(passed -> ResponseEntity.status(ok ? 200 : 401).build());
        }

        @PostMapping("/login/throws")
        String thrown(@RequestParam("ok") boolean ok) {
            arrivals.add(ok);
            if (!ok) {
                throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
            }
            return "welcome";
        }

        @PostMapping("/login/fails")
        Mono<String> fails(@RequestParam("ok") boolean ok) {
            arrivals.add(ok);
            return ok ? Mono.just("welcome") : Mono.error(new ResponseStatusException(HttpStatus.UNAUTHORIZED));
        }

        @PostMapping("/login/breaks")
        String breaks() {
            arrivals.add(true);
            throw new IllegalStateException("the test wants it so");
        }

        @GetMapping({"/", "/hello", "/hello/{name}"})
        String hello() {
            arrivals.add(true);
            return "hello";
        }

        @GetMapping("/open")
        @CrossOrigin("https://shop.example")
        String open() {
            return "open";
        }

        @GetMapping("/by-ip")
        @RateLimit(value = "1 per 1h", key = "#ip")
        public Mono<String> byIp() {
            return Mono.just("yes");
        }
    }
}
