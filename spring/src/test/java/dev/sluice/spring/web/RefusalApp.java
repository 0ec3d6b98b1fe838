package dev.sluice.spring.web;

import dev.sluice.spring.RateLimit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** An application with refusals of its own. The parameter {@code as} says which. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RefusalApp {
    static final String HUGE = "x".repeat(5_000_000);

    @Bean
    @Order(1)
    RefusalCustomizer page() {
        return (refusal, request) -> request.prefers(MediaType.TEXT_HTML)
                ? refusal.withStatus(503).withBody(MediaType.TEXT_HTML, "<p>später: " + request.rule())
                : refusal;
    }

    @Bean
    @Order(2)
    RefusalCustomizer byHeader() {
        return (refusal, request) -> {
            String as = request.header("As");
            return as == null ? refusal : changed(refusal, as);
        };
    }

    @SuppressWarnings("NullAway") // an application may do so
    private static Refusal changed(Refusal refusal, String as) {
        return switch (as) {
            case "null" -> null;
            case "throws" -> throw new IllegalStateException("no");
            case "1000" -> refusal.withStatus(1000);
            case "crlf" -> refusal.withHeader("X-Evil", "a\r\nSet-Cookie: b=c");
            case "200" -> refusal.withStatus(200).withBody(MediaType.APPLICATION_JSON, "{}");
            case "503" -> refusal.withStatus(503).withHeader("X-Why", "maintenance");
            case "own" ->
                refusal.withBody(MediaType.APPLICATION_JSON, "{\"status\":1}").withStatus(503);
            case "204" -> refusal.withStatus(204);
            case "huge" -> refusal.withBody(MediaType.TEXT_PLAIN, HUGE);
            case "headers" -> refusal.withHeader("X-Why", "limits").withoutHeader("ratelimit-policy");
            default -> refusal;
        };
    }

    /** Comes last, and sees what the others made. */
    @Bean
    @Order(3)
    RefusalCustomizer last() {
        return (refusal, request) -> refusal.withHeader(
                "X-Seen",
                refusal.status() + " " + request.method() + " " + request.path() + " " + request.rule() + " "
                        + request.decision().remaining());
    }

    static class Service {
        @RateLimit(value = "10 per 1h", name = "wide", key = "#key")
        public Mono<String> wide(String key) {
            return Mono.just("wide");
        }

        @RateLimit(value = "5 per 1h", name = "narrow", key = "#key")
        public Mono<String> narrow(String key) {
            return Mono.just("narrow");
        }

        @RateLimit(value = "1 per 1h", name = "single", key = "#key", fallback = "instead")
        public Mono<String> single(String key) {
            return Mono.just("single");
        }

        Mono<String> instead(String key) {
            return Mono.just("instead");
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

        @GetMapping("/filtered")
        Mono<String> filtered() {
            return Mono.just("yes");
        }

        @GetMapping("/annotated")
        @RateLimit(value = "1 per 1h", name = "annotated")
        public Mono<String> annotated() {
            return Mono.just("yes");
        }

        @GetMapping("/shown")
        Mono<String> shown(@RequestParam("key") String key) {
            return service.wide(key)
                    .then(service.narrow(key))
                    .then(service.narrow(key))
                    .then(service.narrow("another " + key));
        }

        @GetMapping("/instead")
        Mono<String> instead(@RequestParam("key") String key) {
            return service.single(key).then(service.single(key));
        }

        @GetMapping("/wide-then-denied")
        Mono<String> wideThenDenied(@RequestParam("key") String key) {
            return service.wide(key)
                    .then(Mono.defer(() -> service.narrow(key).repeat(9).then(Mono.just("never"))));
        }
    }
}
