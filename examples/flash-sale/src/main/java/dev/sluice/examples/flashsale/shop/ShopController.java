package dev.sluice.examples.flashsale.shop;

import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The shop's HTTP interface. The cookie stands for a session, which a real shop would check. */
@RestController
class ShopController {
    private static final Pattern SHOPPER = Pattern.compile("[a-z0-9-]{1,40}");

    private final Sale sale;

    ShopController(Sale sale) {
        this.sale = sale;
    }

    @GetMapping("/api/stock")
    Sale.Stock stock() {
        return sale.stock();
    }

    @PostMapping("/api/orders")
    ResponseEntity<Map<String, Object>> order(@CookieValue("shopper") String shopper) {
        if (!SHOPPER.matcher(shopper).matches()) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "the cookie shopper must be 1 to 40 letters a-z, digits and hyphens");
        }
        OptionalLong order = sale.order(shopper);
        return order.isPresent()
                ? ResponseEntity.ok(Map.of("order", order.getAsLong()))
                : ResponseEntity.status(HttpStatus.CONFLICT).body(Map.of("detail", "sold out"));
    }

    @PostMapping("/api/payments")
    ResponseEntity<Map<String, Object>> pay(@CookieValue("shopper") String shopper, @RequestParam("order") long order) {
        return sale.pay(order, shopper)
                ? ResponseEntity.ok(Map.of("paid", order))
                : ResponseEntity.status(HttpStatus.NOT_FOUND).body(Map.of("detail", "no such order of yours"));
    }
}
