package dev.sluice.spring.docs;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.client.SluiceClientAutoConfiguration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import reactor.core.publisher.Mono;

/** The snippets of docs/spring.md, word for word. */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration(SluiceClientAutoConfiguration.class)
@Import({
    DocsApp.Shop.class,
    DocsApp.Orders.class,
    DocsApp.Newsletter.class,
    Clients.class,
    GithubFeign.class,
    LimitAdvice.class,
    RefusalConfiguration.class
})
class DocsApp {
    record User(String id) {}

    static class Shop {
        @RateLimit(value = "5 per 1m sliding-log", key = "#user.id")
        public String order(User user, String item) {
            return "ordered " + item;
        }

        @RateLimit("100 per 1s")
        @RateLimit(value = "20 at once", key = "#tenant", waitUpTo = "200ms")
        public String report(String tenant) {
            return "report for " + tenant;
        }

        @RateLimit(value = "50 per 1s", priority = "background", fallback = "cached")
        public String search(String words) {
            return "fresh results for " + words;
        }

        String cached(String words, RateLimitedException why) {
            return "yesterday's results for " + words;
        }

        @RateLimit(value = "3 per 1m", key = "#user", unless = "#result")
        public boolean login(String user, String password) {
            return password.equals("secret of " + user);
        }

        @RateLimit(value = "2 per 1m", key = "#account")
        public Mono<String> balance(String account) {
            return Mono.just("balance of " + account);
        }
    }

    interface Github {
        @GetExchange("/users/{name}")
        @RateLimit(value = "60 per 1h", waitUpTo = "5s")
        String user(@PathVariable("name") String name);
    }

    static class Orders {
        @JmsListener(destination = "orders")
        @RateLimit(value = "20 per 1s", waitUpTo = "1m")
        public void take(String order) {
            System.out.println("took " + order);
        }
    }

    static class Newsletter {
        @RateLimit("1 per 1d sliding-log")
        public void send() {}

        @RateLimit(value = "1 per 1m sliding-log", waitUpTo = "2m")
        public String digest() {
            return "digest";
        }
    }
}
