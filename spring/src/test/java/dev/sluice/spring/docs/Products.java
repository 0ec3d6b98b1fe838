package dev.sluice.spring.docs;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.web.RateLimitAttributes;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Products {
    @GetMapping("/products")
    String products(@RequestAttribute(RateLimitAttributes.VERDICT) Optional<Verdict> verdict) {
        return verdict.filter(Verdict::degraded).isPresent() ? "the ten best" : "all products";
    }
}
