package dev.sluice.spring.web;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Where a {@link RateLimitedException} can surface. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ExceptionApp.Api.class)
class ExceptionApp {
    /** Limited to one call for each key. */
    static class Service {
        @RateLimit(value = "1 per 1h", name = "once", key = "#key")
        public String once(String key) {
            return "once";
        }
    }

    @Bean
    static Service service() {
        return new Service();
    }

    @RestController
    static class Api {
        private final Service service;

        Api(Service service) {
            this.service = service;
        }

        @GetMapping("/value")
        String value(@RequestParam("key") String key) {
            return service.once(key);
        }

        @GetMapping("/broken")
        String broken() {
            throw new IllegalStateException("broken");
        }

        @GetMapping("/mono")
        @RateLimit(value = "1 per 1h", name = "mono", key = "#key")
        public Mono<String> mono(@RequestParam("key") String key) {
            return Mono.just("once");
        }

        @GetMapping("/future")
        CompletableFuture<String> future(@RequestParam("key") String key) {
            return CompletableFuture.supplyAsync(() -> service.once(key));
        }

        @GetMapping("/wrapped")
        String wrapped(@RequestParam("key") String key, @RequestParam("in") String wrapper) throws Exception {
            try {
                return service.once(key);
            } catch (RateLimitedException e) {
                throw switch (wrapper) {
                    case "completion" -> new CompletionException(e);
                    case "execution" -> new ExecutionException(new CompletionException(e));
                    default -> new UndeclaredThrowableException(e);
                };
            }
        }
    }

    /** A controller with a handler for everything of its own. */
    @RestController
    static class Careful {
        private final Service service;

        Careful(Service service) {
            this.service = service;
        }

        @GetMapping("/careful")
        String careful(@RequestParam("key") String key) {
            return service.once(key);
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any(Exception e) {
            return ResponseEntity.status(500).body("caught here");
        }
    }
}
