package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.test.TestClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The limits among Spring Security's, caches', transactions' and other advice. */
class AdviceOrderTest {
    static class Shop {
        @RateLimit("1 per 1m")
        @Cacheable("prices")
        public String price(String item) {
            return "price of " + item;
        }

        @RateLimit("1 per 1m")
        @PreAuthorize("hasRole('ADMIN')")
        public String secret() {
            return "secret";
        }

        @RateLimit("1 per 1m")
        @PostAuthorize("returnObject == 'yours'")
        public String after() {
            return "yours";
        }

        @RateLimit("1 per 1m")
        @Transactional
        public String save() {
            return "saved";
        }

        @RateLimit("1 per 1m")
        @PreAuthorize("hasRole('ADMIN')")
        @Cacheable("prices")
        @Transactional
        public String all(String item) {
            return item;
        }
    }

    static class Mailer {
        @Async
        @RateLimit("1 per 1m")
        public void send() {}

        @Async
        @RateLimit("1 at once")
        public CompletableFuture<String> sent(CompletableFuture<String> answer) {
            return CompletableFuture.completedFuture(answer.join());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    @EnableMethodSecurity
    @EnableTransactionManagement
    @EnableAsync
    static class App {
        @Bean
        ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        Transactions transactions() {
            return new Transactions();
        }

        @Bean
        Executor taskExecutor() {
            return new SimpleAsyncTaskExecutor();
        }
    }

    static class Transactions extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;
        final transient List<String> seen = new ArrayList<>();

        @Override
        protected Object doGetTransaction() {
            return "transaction";
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            seen.add("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            seen.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            seen.add("rollback");
        }
    }

    private static ApplicationContextRunner app(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceMethodAutoConfiguration.class))
                .withUserConfiguration(App.class)
                .withBean(TestClock.class)
                .withBean(Shop.class)
                .withBean(Mailer.class)
                .withPropertyValues(properties);
    }

    private static void login(String... roles) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ann", "", roles));
    }

    @AfterEach
    void logout() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void whatComesFromTheCacheIsNotCharged() {
        app().run(context -> {
            Shop shop = context.getBean(Shop.class);
            for (int i = 0; i < 5; i++) {
                assertThat(shop.price("tea")).isEqualTo("price of tea");
            }
            assertThatThrownBy(() -> shop.price("milk")).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void whoeverMayNotCallIsNotCharged() {
        app().run(context -> {
            Shop shop = context.getBean(Shop.class);
            login("ROLE_USER");
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(shop::secret).isInstanceOf(AccessDeniedException.class);
            }
            login("ROLE_ADMIN");
            assertThat(shop.secret()).isEqualTo("secret");
            assertThatThrownBy(shop::secret).isInstanceOf(RateLimitedException.class);
            assertThat(shop.after()).isEqualTo("yours");
            assertThatThrownBy(shop::after).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void whoeverIsDeniedOpensNoTransaction() {
        app().run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.save()).isEqualTo("saved");
            assertThatThrownBy(shop::save).isInstanceOf(RateLimitedException.class);
            assertThat(context.getBean(Transactions.class).seen).containsExactly("begin", "commit");
        });
    }

    @Test
    void allTogetherStandInThisOrder() {
        app().run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatThrownBy(() -> shop.all("tea")).isInstanceOf(RuntimeException.class);
            login("ROLE_ADMIN");
            assertThat(shop.all("tea")).isEqualTo("tea");
            assertThat(shop.all("tea")).isEqualTo("tea");
            assertThatThrownBy(() -> shop.all("milk")).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void theCallerOfAnAsyncMethodIsToldAtOnce() {
        app().run(context -> {
            Mailer mailer = context.getBean(Mailer.class);
            mailer.send();
            assertThatThrownBy(mailer::send).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void theFutureOfAnAsyncMethodHoldsUntilItIsDone() {
        app().run(context -> {
            Mailer mailer = context.getBean(Mailer.class);
            CompletableFuture<String> answer = new CompletableFuture<>();
            CompletableFuture<String> first = mailer.sent(answer);
            assertThat(mailer.sent(answer)).isCompletedExceptionally();
            answer.complete("done");
            assertThat(first.join()).isEqualTo("done");
            assertThat(mailer.sent(answer).join()).isEqualTo("done");
        });
    }

    @Test
    void anOrderOfYourOwnCounts() {
        app("sluice.method.order=0").run(context -> {
            Shop shop = context.getBean(Shop.class);
            login("ROLE_USER");
            assertThatThrownBy(shop::secret).isInstanceOf(AccessDeniedException.class);
            assertThatThrownBy(shop::secret).isInstanceOf(RateLimitedException.class);
            assertThat(shop.price("tea")).isEqualTo("price of tea");
            assertThatThrownBy(() -> shop.price("tea")).isInstanceOf(RateLimitedException.class);
        });
        app("sluice.method.order=250").run(context -> {
            Shop shop = context.getBean(Shop.class);
            login("ROLE_USER");
            assertThatThrownBy(shop::secret).isInstanceOf(AccessDeniedException.class);
            assertThatThrownBy(shop::secret).isInstanceOf(AccessDeniedException.class);
            assertThat(shop.price("tea")).isEqualTo("price of tea");
            assertThatThrownBy(() -> shop.price("tea")).isInstanceOf(RateLimitedException.class);
        });
    }
}
