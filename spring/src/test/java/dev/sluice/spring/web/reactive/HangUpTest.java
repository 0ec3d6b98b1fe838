package dev.sluice.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.RunningApp;
import dev.sluice.spring.client.ClientRateLimitFilters;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.function.client.ClientRequest;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Whoever hangs up holds nothing, whatever the moment: its verdict belongs to its call, or is given back. */
@Tag("slow")
class HangUpTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int ROUNDS = 400;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Limited.class, Filters.class})
    static class App {}

    /** @param first of two, with Spring Security */
    record Filters(@Qualifier("sluiceWebFilter") SluiceWebFilter first) {}

    static class Limited {
        @RateLimit(value = "100 at once", name = "mono")
        public Mono<String> mono() {
            return Mono.never();
        }

        @RateLimit(value = "100 at once", name = "short")
        public Mono<String> shortMono() {
            return Mono.just("x");
        }

        @RateLimit(value = "100 at once", name = "flux")
        public Flux<String> flux() {
            return Flux.never();
        }
    }

    /** What is limited, by the name of its rule. */
    enum Call {
        MONO("mono") {
            @Override
            Publisher<?> of(RunningApp app) {
                return app.bean(Limited.class).mono();
            }
        },
        SHORT_MONO("short") {
            @Override
            Publisher<?> of(RunningApp app) {
                return app.bean(Limited.class).shortMono();
            }
        },
        FLUX("flux") {
            @Override
            Publisher<?> of(RunningApp app) {
                return app.bean(Limited.class).flux();
            }
        },
        EXCHANGE("exchange") {
            @Override
            Publisher<?> of(RunningApp app) {
                return app.bean(Filters.class)
                        .first
                        .filter(
                                MockServerWebExchange.from(MockServerHttpRequest.get("/held")),
                                exchange -> Mono.never());
            }
        },
        OUTGOING("outgoing") {
            @Override
            Publisher<?> of(RunningApp app) {
                return app.bean(ClientRateLimitFilters.class)
                        .forRule("outgoing")
                        .filter(
                                ClientRequest.create(HttpMethod.GET, URI.create("http://127.0.0.1/"))
                                        .build(),
                                request -> Mono.never());
            }
        };

        private final String rule;

        Call(String rule) {
            this.rule = rule;
        }

        abstract Publisher<?> of(RunningApp app);
    }

    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static RunningApp app;

    @SuppressWarnings("NullAway.Init")
    private static RunningApp inMemory;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        app = app("sluice.store=" + redis.url());
        inMemory = app("sluice.store=memory");
        Eventually.holds(
                "Redis answers", SOON, () -> state(app, Call.EXCHANGE.rule).source() == Decision.Source.REDIS);
    }

    private static RunningApp app(String store) {
        return RunningApp.start(
                WebApplicationType.REACTIVE,
                List.of(App.class),
                store,
                "sluice.redis.timeout=20s",
                "sluice.rules[0].name=exchange",
                "sluice.rules[0].when.path=/held",
                "sluice.rules[0].key=",
                "sluice.rules[0].limits[0]=100 at once",
                "sluice.rules[1].name=outgoing",
                "sluice.rules[1].when.path=/none",
                "sluice.rules[1].key=",
                "sluice.rules[1].limits[0]=100 at once");
    }

    @AfterAll
    static void stop() {
        inMemory.close();
        app.close();
        redis.close();
    }

    private static Decision state(RunningApp app, String rule) {
        RuleEngine engine = app.bean(RuleRegistry.class).engine();
        return Objects.requireNonNull(engine.inspect(rule, "").join()).decision();
    }

    private static void becomesFree(RunningApp app, Call call, int permits) {
        Eventually.holds(
                permits + " are free", SOON, () -> state(app, call.rule).remaining() == permits);
    }

    /** The verdict is there, and waits for a thread to go on with. */
    @ParameterizedTest
    @EnumSource(Call.class)
    void betweenTheVerdictAndTheCall(Call call) {
        Disposable other = Flux.from(call.of(app)).subscribe();
        int free = call == Call.SHORT_MONO ? 100 : 99;
        becomesFree(app, call, free);
        try (HeldTasks held = new HeldTasks()) {
            for (int i = 0; i < 3; i++) {
                redis.pause();
                Disposable gone = Flux.from(call.of(app)).subscribe();
                redis.resume();
                Eventually.holds("the verdict is there", SOON, () -> !held.isEmpty());
                gone.dispose();
                held.run();
            }
        }
        becomesFree(app, call, free);
        other.dispose();
        becomesFree(app, call, 100);
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void atAnyMoment(Call call) {
        for (int i = 0; i < ROUNDS; i++) {
            Disposable gone = Flux.from(call.of(app)).subscribe();
            long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(1_000_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            gone.dispose();
        }
        becomesFree(app, call, 100);
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void beforeTheCheck(Call call) {
        for (RunningApp each : List.of(app, inMemory)) {
            for (int i = 0; i < 5; i++) {
                call.of(each).subscribe(new BaseSubscriber<Object>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        subscription.cancel();
                    }
                });
            }
            becomesFree(each, call, 100);
        }
        assertThat(app.bean(RuleRegistry.class).engine().waiting()).isZero();
    }
}
