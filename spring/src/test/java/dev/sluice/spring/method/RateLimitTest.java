package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Outcome;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.test.TestClock;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class RateLimitTest {
    record User(@Nullable String id, String plan) {}

    static class Shop {
        final AtomicInteger ran = new AtomicInteger();

        @RateLimit(value = "2 per 1m sliding-log", key = "#user.id")
        public String order(User user) {
            return "order " + ran.incrementAndGet();
        }

        @RateLimit("3 per 1s")
        @RateLimit(value = "1 per 1s", key = "#who")
        public int several(String who) {
            return ran.incrementAndGet();
        }

        @RateLimit(value = "10 per 1m", permits = "#items.size()")
        public int batch(List<String> items) {
            return items.size();
        }

        @RateLimit(value = "1 per 1m", fallback = "cached")
        public String search(String words) {
            return "found " + words;
        }

        @SuppressWarnings("unused")
        private String cached(String words, RateLimitedException why) {
            return "cached " + words + " " + why.rule();
        }

        @RateLimit(value = "10 per 1m", priority = "background", name = "shared")
        public int background() {
            return ran.incrementAndGet();
        }

        @RateLimit(rule = "gold", key = "{#user.id, #user.plan}")
        public int byRule(User user) {
            return ran.incrementAndGet();
        }

        @RateLimit("${shop.limit}")
        public int configured() {
            return ran.incrementAndGet();
        }
    }

    @Test
    void aCallOverTheLimitDoesNotRunAndTellsWhy() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            User ann = new User("ann", "gold");
            assertThat(shop.order(ann)).isEqualTo("order 1");
            assertThat(shop.order(ann)).isEqualTo("order 2");
            assertThatThrownBy(() -> shop.order(ann)).isInstanceOfSatisfying(RateLimitedException.class, e -> {
                assertThat(e.rule()).isEqualTo("Shop.order");
                assertThat(e.key()).isEqualTo("ann");
                assertThat(e.decision().outcome()).isEqualTo(Outcome.DENIED);
                assertThat(e.decision().limit()).isEqualTo(2);
                assertThat(e.decision().retryAfter()).isEqualTo(Duration.ofMinutes(1));
                assertThat(e).hasMessage("over the limit of Shop.order: 0 of 2 left; try again in 60000 ms");
            });
            assertThat(shop.order(new User("bob", "gold"))).isEqualTo("order 3");
            context.getBean(TestClock.class).advance(Duration.ofMinutes(1));
            assertThat(shop.order(ann)).isEqualTo("order 4");
        });
    }

    @Test
    void allWithoutAKeyShareACounter() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            User nobody = new User(null, "");
            shop.order(nobody);
            shop.order(nobody);
            assertThatThrownBy(() -> shop.order(nobody)).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void severalAreAllOrNothing() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.several("ann");
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> shop.several("ann"))
                        .isInstanceOfSatisfying(
                                RateLimitedException.class,
                                e -> assertThat(e.rule()).isEqualTo("Shop.several#2"));
            }
            shop.several("bob");
            shop.several("carol");
            assertThatThrownBy(() -> shop.several("dave"))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Shop.several"));
        });
    }

    @Test
    void permitsAreCountedFromTheArguments() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.batch(List.of("a", "b", "c", "d", "e", "f"))).isEqualTo(6);
            assertThatThrownBy(() -> shop.batch(List.of("a", "b", "c", "d", "e")))
                    .isInstanceOf(RateLimitedException.class);
            assertThat(shop.batch(List.of("a", "b", "c", "d"))).isEqualTo(4);
        });
    }

    @Test
    void theFallbackAnswersInstead() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.search("tea")).isEqualTo("found tea");
            assertThat(shop.search("tea")).isEqualTo("cached tea Shop.search");
        });
    }

    @Test
    void aLowerClassMayUseOnlyItsShare() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            for (int i = 0; i < 5; i++) {
                shop.background();
            }
            assertThatThrownBy(shop::background).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void aRuleCanBeNamedAndTextsHaveProperties() {
        Contexts.of(Shop.class, RULES).run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.byRule(new User("ann", "x"));
            assertThatThrownBy(() -> shop.byRule(new User("ann", "x")))
                    .isInstanceOfSatisfying(RateLimitedException.class, e -> {
                        assertThat(e.rule()).isEqualTo("gold");
                        assertThat(e.key()).isEqualTo("ann|x");
                    });
            shop.byRule(new User("ann", "y"));
            shop.configured();
            assertThatThrownBy(shop::configured).isInstanceOf(RateLimitedException.class);
        });
    }

    private static final String[] RULES = {
        "shop.limit=1 per 1h",
        "sluice.rules[0].name=gold",
        "sluice.rules[0].when.path=/nowhere",
        "sluice.rules[0].key[0]=user",
        "sluice.rules[0].key[1]=plan",
        "sluice.rules[0].limits=1 per 1m",
    };

    @RateLimit("2 per 1m")
    static class Together {
        public int one() {
            return 1;
        }

        public int two() {
            return 2;
        }

        int hidden() {
            return 3;
        }
    }

    @Test
    void onAClassItIsOneLimitForAllPublicMethods() {
        Contexts.of(Together.class).run(context -> {
            Together together = context.getBean(Together.class);
            together.one();
            together.two();
            assertThatThrownBy(together::one)
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.rule()).isEqualTo("Together"));
            assertThat(together.hidden()).isEqualTo(3);
        });
    }

    static class Later {
        final AtomicInteger ran = new AtomicInteger();

        int count() {
            return ran.get();
        }

        @RateLimit("1 per 1m")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("future");
        }

        @RateLimit(value = "1 per 1m", fallback = "instead")
        public Mono<String> mono() {
            return Mono.fromSupplier(() -> "mono " + ran.incrementAndGet());
        }

        Mono<String> instead() {
            return Mono.just("instead");
        }

        @RateLimit("2 per 1m")
        public Flux<Integer> flux() {
            return Flux.range(0, 3);
        }

        @RateLimit("1 at once")
        public Mono<String> held(Mono<String> answer) {
            return answer;
        }

        @RateLimit("1 at once")
        public CompletableFuture<String> heldFuture(CompletableFuture<String> answer) {
            return answer;
        }

        @RateLimit("1 at once")
        public Single<String> heldSingle(Single<String> answer) {
            return answer;
        }

        @RateLimit("1 at once")
        public Flowable<String> heldFlowable(Flowable<String> answer) {
            return answer;
        }

        @RateLimit("1 at once")
        public Completable heldCompletable(Completable answer) {
            return answer;
        }

        @RateLimit(value = "1 at once", waitUpTo = "10m")
        public CompletionStage<String> queued(CompletableFuture<String> answer) {
            ran.incrementAndGet();
            return answer;
        }

        @RateLimit(value = "1 per 200ms", waitUpTo = "10s")
        public Mono<String> patient() {
            return Mono.fromSupplier(() -> Thread.currentThread().getName());
        }

        @RateLimit(value = "1 per 5m sliding-log", waitUpTo = "10m")
        public String waiting() {
            return "done";
        }
    }

    @Test
    void futuresFailAndMonosAreChargedBySubscription() {
        Contexts.of(Later.class).run(context -> {
            Later later = context.getBean(Later.class);
            assertThat(later.future().join()).isEqualTo("future");
            CompletableFuture<String> denied = later.future();
            assertThatThrownBy(denied::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(RateLimitedException.class);

            Mono<String> mono = later.mono();
            later.mono();
            assertThat(later.count()).isZero();
            assertThat(mono.block()).isEqualTo("mono 1");
            assertThat(mono.block()).isEqualTo("instead");

            Flux<Integer> flux = later.flux();
            assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
            assertThat(flux.take(1).collectList().block()).containsExactly(0);
            assertThatThrownBy(flux::blockLast).isInstanceOf(RateLimitedException.class);
        });
    }

    @Test
    void permitsAreHeldUntilTheAnswerIsComplete() {
        Contexts.of(Later.class).run(context -> {
            Later later = context.getBean(Later.class);
            CompletableFuture<String> running = new CompletableFuture<>();
            CompletableFuture<String> first = later.heldFuture(running);
            assertThat(later.heldFuture(running)).isCompletedExceptionally();
            running.complete("done");
            assertThat(first.join()).isEqualTo("done");
            assertThat(later.heldFuture(CompletableFuture.completedFuture("again"))
                            .join())
                    .isEqualTo("again");

            later.held(Mono.never()).subscribe().dispose();
            assertThat(later.held(Mono.just("free")).block()).isEqualTo("free");
            assertThatThrownBy(() -> later.held(Mono.error(new IllegalStateException("no")))
                            .block())
                    .hasMessage("no");
            assertThat(later.held(Mono.just("free again")).block()).isEqualTo("free again");
        });
    }

    @Test
    void permitsOfRxJavaAreHeldUntilTheAnswerIsComplete() {
        Contexts.of(Later.class).run(context -> {
            Later later = context.getBean(Later.class);
            Disposable single = later.heldSingle(Single.never()).subscribe();
            assertThatThrownBy(() -> later.heldSingle(Single.just("no")).blockingGet())
                    .isInstanceOf(RateLimitedException.class);
            single.dispose();
            assertThat(later.heldSingle(Single.just("free")).blockingGet()).isEqualTo("free");

            Disposable flowable = later.heldFlowable(Flowable.never()).subscribe();
            assertThatThrownBy(() -> later.heldFlowable(Flowable.just("no")).blockingFirst())
                    .isInstanceOf(RateLimitedException.class);
            flowable.dispose();
            assertThat(later.heldFlowable(Flowable.just("free")).blockingFirst())
                    .isEqualTo("free");

            Disposable completable = later.heldCompletable(Completable.never()).subscribe();
            assertThatThrownBy(
                            () -> later.heldCompletable(Completable.complete()).blockingAwait())
                    .isInstanceOf(RateLimitedException.class);
            completable.dispose();
            later.heldCompletable(Completable.complete()).blockingAwait();
        });
    }

    @Test
    void aCancelledFutureTakesNothing() {
        Contexts.waiting(Later.class).run(context -> {
            Later later = context.getBean(Later.class);
            CompletableFuture<String> running = new CompletableFuture<>();
            CompletableFuture<String> first = later.queued(running).toCompletableFuture();
            CompletableFuture<String> second = later.queued(running).toCompletableFuture();
            assertThat(second).isNotDone();
            second.cancel(true);
            running.complete("done");
            assertThat(first.join()).isEqualTo("done");
            CompletableFuture<String> third = new CompletableFuture<>();
            CompletableFuture<String> handed = later.queued(third).toCompletableFuture();
            Eventually.holds("the third runs", Duration.ofSeconds(20), () -> later.count() == 2);
            handed.cancel(true);
            assertThat(third).isCancelled();
            assertThat(later.queued(CompletableFuture.completedFuture("free"))
                            .toCompletableFuture()
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("free");
        });
    }

    @Test
    void anEventLoopIsNeverMadeToWait() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Contexts.waiting(Later.class).run(context -> {
            Later later = context.getBean(Later.class);
            later.waiting();
            Throwable[] failure = new Throwable[1];
            Schedulers.parallel().schedule(() -> {
                try {
                    later.waiting();
                } catch (RuntimeException e) {
                    failure[0] = e;
                }
                done.countDown();
            });
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(failure[0]).isInstanceOf(IllegalStateException.class).hasMessageContaining("must not block");
            List<String> threads = Flux.merge(later.patient(), later.patient(), later.patient())
                    .collectList()
                    .block();
            assertThat(threads).hasSize(3);
        });
    }
}
