package dev.sluice.examples.flashsale.shop;

import dev.sluice.spring.RateLimit;
import java.util.OptionalLong;
import org.springframework.stereotype.Service;

/** What the shop does, and how much of the back end each part of it may use. */
@Service
class Sale {
    private final Warehouse warehouse;
    private volatile int remembered;

    Sale(Warehouse warehouse) {
        this.warehouse = warehouse;
        this.remembered = warehouse.unsold();
    }

    /**
     * The stock.
     *
     * @param unsold how many are left
     * @param fresh whether that was read just now
     */
    record Stock(int unsold, boolean fresh) {}

    /** Uses at most 30 % of the back end. When that is busy, an older number will do. */
    @RateLimit(rule = "backend", priority = "background", fallback = "stockBefore")
    public Stock stock() {
        remembered = warehouse.unsold();
        return new Stock(remembered, true);
    }

    Stock stockBefore() {
        return new Stock(remembered, false);
    }

    /** Twice a minute for each shopper, within 60 % of the back end: both limits or nothing. */
    @RateLimit(value = "2 per 1m sliding-log", key = "#shopper", name = "orders-per-shopper")
    @RateLimit(rule = "backend", priority = "normal")
    public OptionalLong order(String shopper) {
        return warehouse.take(shopper);
    }

    /** Payments may use all of the back end: they come first. */
    @RateLimit(rule = "backend", priority = "core")
    public boolean pay(long order, String shopper) {
        return warehouse.pay(order, shopper);
    }
}
