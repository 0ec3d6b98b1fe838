package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.test.TestClock;
import feign.Feign;
import feign.RequestLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.core.KeyValueTemplate;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.keyvalue.repository.support.KeyValueRepositoryFactory;
import org.springframework.data.map.MapKeyValueAdapter;
import org.springframework.data.repository.CrudRepository;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Beans that are made from interfaces: HTTP clients, repositories and lambdas. */
@SuppressWarnings("NullAway.Init")
class MadeFromInterfacesTest {
    private static final AtomicInteger ASKED = new AtomicInteger();
    private static HttpServer server;

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            ASKED.incrementAndGet();
            exchange.sendResponseHeaders(200, 5);
            exchange.getResponseBody().write("hello".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    private static String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    interface Github {
        @GetExchange("/user/{name}")
        @RateLimit(value = "2 per 1m", key = "#name")
        String user(@PathVariable("name") String name);

        @GetExchange("/free")
        String free();
    }

    @RateLimit("2 per 1m")
    interface Gitlab {
        @RequestLine("GET /one")
        String one();

        @RequestLine("GET /two")
        String two();
    }

    record User(@Id @Nullable String id, String name) {}

    interface Users extends KeyValueRepository<User, String> {
        @RateLimit(value = "2 per 1m", key = "#user.name")
        @Override
        <S extends User> S save(S user);

        @RateLimit("2 per 1m")
        List<User> findByName(String name);
    }

    interface Numbers extends Supplier<Integer> {
        @Override
        @RateLimit("2 per 1m")
        Integer get();
    }

    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Github github() {
            return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(
                            RestClient.builder().baseUrl(url()).build()))
                    .build()
                    .createClient(Github.class);
        }

        @Bean
        Gitlab gitlab() {
            return Feign.builder().target(Gitlab.class, url());
        }

        @Bean
        Users users() {
            return new KeyValueRepositoryFactory(new KeyValueTemplate(new MapKeyValueAdapter()))
                    .getRepository(Users.class);
        }

        @Bean
        Numbers numbers() {
            return () -> 1;
        }
    }

    private static ApplicationContextRunner app() {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceMethodAutoConfiguration.class))
                .withUserConfiguration(App.class)
                .withBean(TestClock.class);
    }

    @Test
    void anHttpExchangeInterfaceIsLimited() {
        app().run(context -> {
            Github github = context.getBean(Github.class);
            int before = ASKED.get();
            assertThat(github.user("ann")).isEqualTo("hello");
            assertThat(github.user("ann")).isEqualTo("hello");
            assertThatThrownBy(() -> github.user("ann"))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Github.user"));
            assertThat(github.user("bob")).isEqualTo("hello");
            assertThat(github.free()).isEqualTo("hello");
            assertThat(ASKED).hasValue(before + 4);
        });
    }

    @Test
    void aFeignInterfaceIsLimited() {
        app().run(context -> {
            Gitlab gitlab = context.getBean(Gitlab.class);
            assertThat(gitlab.one() + gitlab.two()).isEqualTo("hellohello");
            assertThatThrownBy(gitlab::one)
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Gitlab"));
        });
    }

    @Test
    void aRepositoryIsLimitedHoweverItIsCalled() {
        app().run(context -> {
            Users users = context.getBean(Users.class);
            CrudRepository<User, String> general = users;
            users.save(new User("1", "ann"));
            general.save(new User("2", "ann"));
            assertThatThrownBy(() -> general.save(new User("3", "ann")))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Users.save"));
            users.save(new User("4", "bob"));
            assertThat(users.findById("1")).isEqualTo(Optional.of(new User("1", "ann")));
            assertThat(users.findByName("ann")).hasSize(2);
            assertThat(users.findByName("bob")).hasSize(1);
            assertThatThrownBy(() -> users.findByName("bob")).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void aLambdaIsLimited() {
        app().run(context -> {
            Numbers numbers = context.getBean(Numbers.class);
            Supplier<Integer> general = numbers;
            assertThat(numbers.get() + general.get()).isEqualTo(2);
            assertThatThrownBy(numbers::get)
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Numbers.get"));
        });
    }
}
