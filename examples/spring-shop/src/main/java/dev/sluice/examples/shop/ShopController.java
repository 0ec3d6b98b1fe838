package dev.sluice.examples.shop;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The shop's HTTP interface. */
@RestController
class ShopController {
    private final Orders orders;
    private final Catalog catalog;

    ShopController(Orders orders, Catalog catalog) {
        this.orders = orders;
        this.catalog = catalog;
    }

    /** Guarded by the rule failed-logins. The right password is the name of the user. */
    @PostMapping("/login")
    ResponseEntity<String> login(@RequestParam("user") String user, @RequestParam("password") String password) {
        return user.equals(password)
                ? ResponseEntity.ok("welcome, " + user + "\n")
                : ResponseEntity.status(401).body("wrong password\n");
    }

    @PostMapping("/orders")
    String order(@RequestParam("user") String user, @RequestParam("item") String item) {
        return orders.place(user, item);
    }

    @GetMapping("/search")
    String search(@RequestParam("q") String words) {
        return catalog.search(words);
    }
}
