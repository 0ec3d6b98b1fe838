package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Mono;

/** What expressions mean in a call. */
class CallExpressionTest {
    record User(@Nullable String id) {}

    record Login(boolean ok) {}

    static class Tenants {
        public String of(String name) {
            throw new UnsupportedOperationException("no tenant " + name);
        }
    }

    static class Shop {
        @RateLimit(value = "2 per 1m", key = "#principal.name")
        public String mine() {
            return "mine";
        }

        @RateLimit(value = "2 per 1m", key = "{#principal.name.toLowerCase(), #item}")
        public String each(String item) {
            return item;
        }

        @RateLimit(value = "2 per 1m", key = "#principal?.name ?: #request?.requestURI ?: 'nobody'")
        public String careful() {
            return "careful";
        }

        @RateLimit(rule = "by-user", key = "#principal.name")
        public String byRule() {
            return "rule";
        }

        @RateLimit(value = "2 per 1m", key = "#user.id")
        public String of(@Nullable User user) {
            return "of";
        }

        @RateLimit(value = "2 per 1m", key = "{#principal.name, #user.id}")
        public String both(@Nullable User user) {
            return "both";
        }

        @RateLimit(value = "2 per 1m", key = "#key")
        public String any(Object key) {
            return "any";
        }

        @RateLimit(value = "2 per 1m", permits = "#count")
        public String several(Object count) {
            return "several";
        }

        @RateLimit(value = "2 per 1m", key = "@tenants.of(#name)")
        public String tenant(String name) {
            return name;
        }

        @RateLimit(value = "1 per 1m", condition = "#size > 10")
        @RateLimit(value = "3 per 1m")
        public String conditional(int size) {
            return "" + size;
        }

        @RateLimit(value = "1 per 1m", condition = "#principal.name == 'ann'")
        public String forAnn() {
            return "ann's";
        }

        @RateLimit(value = "1 per 1m", condition = "#size")
        public String wrong(Object size) {
            return "" + size;
        }

        @RateLimit(value = "2 per 1m", unless = "#result.ok")
        public Login login(boolean ok) {
            return new Login(ok);
        }

        @RateLimit(value = "2 per 1m", unless = "#result.ok")
        public CompletableFuture<Login> later(boolean ok) {
            return CompletableFuture.completedFuture(new Login(ok));
        }

        @RateLimit(value = "2 per 1m", unless = "#result.ok")
        public Mono<Login> mono(boolean ok) {
            return Mono.just(new Login(ok));
        }

        @RateLimit(value = "2 per 1m", unless = "#result == null")
        public @Nullable String failing(boolean fails) {
            if (fails) {
                throw new UnsupportedOperationException("no");
            }
            return null;
        }

        @RateLimit(
                value = {"2 per 1m", "1 at once"},
                unless = "#result")
        @RateLimit(
                value = {"3 per 1m", "1 at once"},
                name = "outer")
        public boolean mixed(boolean refund) {
            return refund;
        }
    }

    private static void run(Consumer<Shop> test) {
        Contexts.of(
                        Shop.class,
                        "sluice.rules[0].name=by-user",
                        "sluice.rules[0].when.path=/nowhere",
                        "sluice.rules[0].key=user",
                        "sluice.rules[0].limits=1 per 1m")
                .withBean("tenants", Tenants.class)
                .run(context -> test.accept(context.getBean(Shop.class)));
    }

    private static void login(String name) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(name, ""));
    }

    @AfterEach
    void logout() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void allWhoAreNotLoggedInShareACounter() {
        run(shop -> {
            for (int i = 0; i < 2; i++) {
                shop.mine();
                shop.each("tea");
                shop.careful();
            }
            SecurityContextHolder.getContext()
                    .setAuthentication(new AnonymousAuthenticationToken(
                            "key", "anonymous", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
            assertThatThrownBy(shop::mine).isInstanceOf(RateLimitedException.class);
            assertThatThrownBy(() -> shop.each("milk")).isInstanceOf(RateLimitedException.class);
            assertThatThrownBy(shop::careful).isInstanceOf(RateLimitedException.class);
            login("ann");
            assertThat(shop.mine() + shop.each("tea") + shop.careful()).isEqualTo("mineteacareful");
        });
    }

    @Test
    void aRuleSaysItselfWhatToDoWithoutAKey() {
        run(shop -> {
            for (int i = 0; i < 5; i++) {
                assertThat(shop.byRule()).isEqualTo("rule");
            }
            login("ann");
            shop.byRule();
            assertThatThrownBy(shop::byRule).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void anyOtherFailureNamesTheAnnotation() {
        run(shop -> {
            assertThatThrownBy(() -> shop.of(null))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@RateLimit on Shop.of(User): key: '#user.id': EL1007E: ");
            login("ann");
            assertThatThrownBy(() -> shop.both(null))
                    .hasMessageContaining(
                            "@RateLimit on Shop.both(User): key: '{#principal.name, #user.id}': EL1007E: ");
            assertThatThrownBy(() -> shop.several("two"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "@RateLimit on Shop.several(Object): permits: '#count': expected a whole number, at least 0, was two");
            assertThatThrownBy(() -> shop.several(-1)).hasMessageContaining("at least 0, was -1");
            assertThatThrownBy(() -> shop.wrong("big"))
                    .hasMessage(
                            "@RateLimit on Shop.wrong(Object): condition: '#size': expected true or false, was big");
        });
    }

    /** Arrays have no text of their own: two of the same values are one key all the same. */
    @Test
    void arraysAreKeysByTheirValues() {
        List<Supplier<Object>> keys = List.of(
                () -> new int[] {1, 2},
                () -> new byte[] {3, 4},
                () -> new String[] {"a", "b"},
                () -> new Object[0],
                () -> List.of("c", new long[] {5}),
                () -> new int[][] {{6}, {7, 8}});
        run(shop -> {
            for (Supplier<Object> key : keys) {
                shop.any(key.get());
                shop.any(key.get());
                assertThatThrownBy(() -> shop.any(key.get()))
                        .as("key %s", key.get())
                        .isInstanceOf(RateLimitedException.class);
            }
            shop.any(new int[] {2, 1});
            shop.any(List.of("c", new long[] {6}));
            shop.any(new int[][] {{6, 7}, {8}});
        });
    }

    /** Each instance would be a key of its own, and the limit would never be reached. */
    @Test
    void aKeyWithoutATextOfItsOwnIsRefused() {
        run(shop -> {
            assertThatThrownBy(() -> shop.any(new Tenants()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("@RateLimit on Shop.any(Object): key: '#key': expected a value that tells itself from "
                            + "others by its text, was a " + Tenants.class.getName()
                            + ", which has no toString() of its own: use one of its properties");
            assertThatThrownBy(() -> shop.any(List.of(new Tenants()))).hasMessageContaining("no toString() of its own");
            shop.any(new User("ann"));
            shop.any(Thread.State.NEW);
        });
    }

    @Test
    void permitsAreWhole() {
        run(shop -> {
            for (Object wrong : List.of(0.5, Double.NaN, 1e19, new BigInteger("18446744073709551617"))) {
                assertThatThrownBy(() -> shop.several(wrong))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("expected a whole number, at least 0, was " + wrong);
            }
            shop.several(1.0);
            shop.several(BigInteger.ONE);
            assertThatThrownBy(() -> shop.several(new BigDecimal("1.00"))).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void whatABeanThrowsIsThrown() {
        run(shop -> assertThatThrownBy(() -> shop.tenant("acme"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("no tenant acme"));
    }

    @Test
    void anAnnotationWhoseConditionIsNotMetDoesNotApply() {
        run(shop -> {
            shop.conditional(1);
            shop.conditional(11);
            assertThatThrownBy(() -> shop.conditional(11))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Shop.conditional"));
            shop.conditional(2);
            assertThatThrownBy(() -> shop.conditional(3))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Shop.conditional#2"));
        });
    }

    @Test
    void aConditionOnAUserWhoIsNotThereIsMet() {
        run(shop -> {
            login("bob");
            for (int i = 0; i < 3; i++) {
                shop.forAnn();
            }
            SecurityContextHolder.clearContext();
            shop.forAnn();
            assertThatThrownBy(shop::forAnn).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void whatTurnsOutNotToCountIsRefunded() {
        run(shop -> {
            for (int i = 0; i < 5; i++) {
                assertThat(shop.login(true).ok()).isTrue();
                assertThat(shop.later(true).join().ok()).isTrue();
                assertThat(shop.mono(true).blockOptional().orElseThrow().ok()).isTrue();
                assertThat(shop.failing(false)).isNull();
            }
            for (int i = 0; i < 2; i++) {
                shop.login(false);
                shop.later(false).join();
                shop.mono(false).block();
                assertThatThrownBy(() -> shop.failing(true)).isInstanceOf(UnsupportedOperationException.class);
            }
            assertThatThrownBy(() -> shop.login(true)).isInstanceOf(RateLimitedException.class);
            assertThat(shop.later(true)).isCompletedExceptionally();
            assertThatThrownBy(() -> shop.mono(true).block()).isInstanceOf(RateLimitedException.class);
            assertThatThrownBy(() -> shop.failing(false)).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void onlyTheAnnotationThatSaysSoIsRefundedAndAllHoldsEnd() {
        run(shop -> {
            assertThat(shop.mixed(true)).isTrue();
            assertThat(shop.mixed(true)).isTrue();
            assertThat(shop.mixed(false)).isFalse();
            assertThatThrownBy(() -> shop.mixed(false))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("outer"));
        });
    }
}
