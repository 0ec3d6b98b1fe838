package dev.sluice.bench.spring;

import com.giffing.bucket4j.spring.boot.starter.context.RateLimiting;
import dev.sluice.spring.RateLimit;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller with one method, which does next to nothing, and has one limiter's annotation or none. */
interface Api {
    String ANSWER = "hello";

    String hello();

    /** Not limited, unless by a filter. */
    @RestController
    class Plain implements Api {
        @Override
        @GetMapping({"/plain", StarterRow.FILTERED})
        public String hello() {
            return ANSWER;
        }
    }

    @RestController
    class Sluice implements Api {
        @Override
        @GetMapping("/sluice")
        @RateLimit("${bench.limit} per 1h token-bucket")
        public String hello() {
            return ANSWER;
        }
    }

    @RestController
    class Bucket4j implements Api {
        @Override
        @GetMapping("/bucket4j")
        @RateLimiting(name = "annotated")
        public String hello() {
            return ANSWER;
        }
    }

    @RestController
    class Resilience4j implements Api {
        @Override
        @GetMapping("/resilience4j")
        @RateLimiter(name = "annotated")
        public String hello() {
            return ANSWER;
        }
    }
}
