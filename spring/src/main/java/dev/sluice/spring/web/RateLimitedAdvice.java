package dev.sluice.spring.web;

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
        QuotaExceededResponse.headers(failure.verdict(), headers::set);
        headers.set("Content-Type", QuotaExceededResponse.TYPE);
        byte[] body = QuotaExceededResponse.body(failure.verdict()).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return ResponseEntity.status(QuotaExceededResponse.STATUS)
                .headers(headers)
                .body(body);
    }
}
