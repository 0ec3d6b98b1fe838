package dev.sluice.spring.web;

import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.spring.RateLimitedException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers {@link RateLimitedException} with 429 as the filters do, unless the application has a handler of its own. */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class RateLimitedAdvice {
    @ExceptionHandler
    ResponseEntity<byte[]> limited(RateLimitedException failure) {
        HttpHeaders headers = new HttpHeaders();
        RateLimitHeaders.set(failure.verdict(), headers::set);
        headers.set("Content-Type", QuotaExceeded.MEDIA_TYPE);
        return ResponseEntity.status(QuotaExceeded.STATUS)
                .headers(headers)
                .body(WebRateLimiter.problem(failure.verdict()));
    }
}
