package dev.sluice.examples.shop;

import dev.sluice.spring.RateLimit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Service;

/** Places orders. */
@Service
class Orders {
    private final AtomicInteger sold = new AtomicInteger();

    /** Three a minute for each user, within the capacity of the back end: both limits or nothing. */
    @RateLimit(value = "3 per 1m sliding-log", key = "#user", name = "orders-per-user")
    @RateLimit(rule = "backend")
    public String place(String user, String item) {
        return "order " + sold.incrementAndGet() + ": " + item + " for " + user + "\n";
    }

    public int sold() {
        return sold.get();
    }
}
