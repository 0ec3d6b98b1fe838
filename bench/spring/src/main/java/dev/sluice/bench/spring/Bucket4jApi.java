package dev.sluice.bench.spring;

import com.giffing.bucket4j.spring.boot.starter.context.RateLimiting;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Bucket4jApi implements Api {
    @Override
    @GetMapping("/bucket4j")
    @RateLimiting(name = "annotated")
    public String hello() {
        return ANSWER;
    }
}
