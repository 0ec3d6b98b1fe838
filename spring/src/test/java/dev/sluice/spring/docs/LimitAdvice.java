package dev.sluice.spring.docs;

import dev.sluice.spring.RateLimitedException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class LimitAdvice {
    @ExceptionHandler
    ResponseEntity<String> limited(RateLimitedException e) {
        ResponseEntity.BodyBuilder busy = ResponseEntity.status(503);
        e.decision().retryAfterSeconds().ifPresent(seconds -> busy.header("Retry-After", "" + seconds));
        return busy.body("busy: " + e.rule());
    }
}
