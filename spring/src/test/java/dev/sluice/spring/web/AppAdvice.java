package dev.sluice.spring.web;

import dev.sluice.spring.RateLimitedException;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The handlers for exceptions that applications have. */
final class AppAdvice {
    private AppAdvice() {}

    /** What most applications have. */
    @RestControllerAdvice
    static class CatchAll {
        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any(Exception e) {
            return ResponseEntity.status(500).body("caught all");
        }
    }

    /** Comes after a handler for any exception. */
    @RestControllerAdvice
    static class Late {
        @ExceptionHandler(RateLimitedException.class)
        ResponseEntity<String> limited() {
            return ResponseEntity.status(503).body("too late");
        }
    }

    @RestControllerAdvice
    @Order(0)
    static class Named {
        @ExceptionHandler
        ResponseEntity<String> limited(RateLimitedException e) {
            return ResponseEntity.status(503).body("mine: " + e.rule());
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any(Exception e) {
            return ResponseEntity.status(500).body("caught all");
        }
    }
}
