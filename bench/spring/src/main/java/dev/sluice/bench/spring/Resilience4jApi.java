package dev.sluice.bench.spring;

import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Resilience4jApi implements Api {
    @Override
    @GetMapping("/resilience4j")
    @RateLimiter(name = "annotated")
    public String hello() {
        return ANSWER;
    }
}
