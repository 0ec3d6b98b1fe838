package dev.sluice.bench.spring;

import dev.sluice.spring.RateLimit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SluiceApi implements Api {
    @Override
    @GetMapping("/sluice")
    @RateLimit("${bench.limit} per 1h token-bucket")
    public String hello() {
        return ANSWER;
    }
}
