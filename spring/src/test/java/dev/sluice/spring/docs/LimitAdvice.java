package dev.sluice.spring.docs;

import dev.sluice.spring.RateLimitedException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class LimitAdvice {
    @ExceptionHandler
    ResponseEntity<String> limited(RateLimitedException e) {
        return ResponseEntity.status(503)
                .header("Retry-After", "" + e.decision().retryAfter().toSeconds())
                .body("busy: " + e.rule());
    }
}
