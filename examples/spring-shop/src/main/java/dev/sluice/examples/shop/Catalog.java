package dev.sluice.examples.shop;

import dev.sluice.spring.RateLimit;
import org.springframework.stereotype.Service;

/** Searches products. It leaves capacity to orders: it may use only half of what the back end can take. */
@Service
class Catalog {
    @RateLimit(rule = "backend", priority = "background", fallback = "yesterday")
    public String search(String words) {
        return "fresh results for " + words + "\n";
    }

    /** The answer while the back end is busy. */
    String yesterday(String words) {
        return "yesterday's results for " + words + "\n";
    }
}
