package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.client.RedisConnection;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store has walked the way of a decision before the first one. */
@Timeout(120)
class WarmUpTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    /** How long a store waits to be warm. */
    private static final Duration BOUND = Duration.ofSeconds(1);

    private static final Duration PATIENCE = Duration.ofMillis(200);

    @ParameterizedTest
    @EnumSource(Client.class)
    void theScriptHasRunWhenTheStoreIsThere(Client client) {
        try (RedisServer server = RedisServer.start();
                RedisStore store =
                        RedisStore.builder().client(client).url(server.url()).build()) {
            assertWarm(store, server);
        }
    }

    @Test
    void soItHasOverAClientOfTheApplication() {
        try (RedisServer server = RedisServer.start()) {
            RedisClient client = RedisClient.create(server.url());
            try (RedisStore store = RedisStore.builder().lettuce(client).build()) {
                assertWarm(store, server);
            } finally {
                client.shutdown();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    @Tag("full")
    void itHasRunOnEachMasterOfACluster(Client client) {
        try (RedisCluster cluster = RedisCluster.start()) {
            boolean isInTime = false;
            for (int i = 0; i < 5 && !isInTime; i++) { // a second each, on a machine that is busy
                cluster.masters().forEach(master -> master.command("CONFIG", "RESETSTAT"));
                long began = System.nanoTime();
                try (RedisStore store =
                        RedisStore.builder().client(client).url(cluster.url()).build()) {
                    isInTime = Duration.ofNanos(System.nanoTime() - began).compareTo(BOUND) < 0;
                    if (isInTime) {
                        assertThat(cluster.masters())
                                .hasSizeGreaterThan(1)
                                .allSatisfy(master -> assertWarm(store, master));
                    }
                }
            }
            assertThat(isInTime).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void itRunsBeforeAConnectionThatCameLateIsInUse(Client client) {
        try (RedisServer server = RedisServer.start()) {
            server.kill();
            try (RedisStore store =
                    RedisStore.builder().client(client).url(server.url()).build()) {
                server.restart();
                Eventually.holds("Redis is asked", SOON, () -> !store.counters().open());
                assertWarm(store, server);
            }
        }
    }

    /** By the server's own count; it counts nothing in the store, and leaves no key. */
    private static void assertWarm(RedisStore store, RedisServer server) {
        assertThat(server.text("INFO", "commandstats")).contains("cmdstat_evalsha:calls=2,");
        assertThat(server.keys()).isEmpty();
        RedisCounters counters = store.counters();
        assertThat(counters.calls()).isZero();
        assertThat(counters.asked()).isZero();
        assertThat(counters.breakers()).isEmpty();
    }

    // ---- A Redis that is away

    @Test
    void aServerThatHasNotAnsweredIsNotWaitedForAgain() {
        SilentConnection silent = new SilentConnection(false);
        WarmUp warmUp = new WarmUp(patience -> silent, "sluice");
        assertThat(warmUp.connect(PATIENCE)).isSameAs(silent);
        assertThat(silent.runs).hasValue(0);
    }

    @Test
    void oneThatFallsSilentIsNotWaitedForLong() {
        SilentConnection silent = new SilentConnection(true);
        WarmUp warmUp = new WarmUp(patience -> silent, "sluice");
        long began = System.nanoTime();
        warmUp.connect(PATIENCE);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
        assertThat(silent.runs).hasPositiveValue();
        int runs = silent.runs.get();
        warmUp.connect(PATIENCE);
        assertThat(silent.runs).as("once is enough").hasValue(runs);
        assertThat(silent.isClosed).isFalse();
    }

    /** The table of a cluster is being read anew. */
    @Test
    void oneWhoseMastersAreNotKnownIsUsedAsItIs() {
        SilentConnection unknown = new SilentConnection(true) {
            @Override
            public String masterOf(String key) {
                throw new ConcurrentModificationException();
            }
        };
        WarmUp warmUp = new WarmUp(patience -> unknown, "sluice");
        assertThat(warmUp.connect(PATIENCE)).isSameAs(unknown);
    }

    /** Replies to no script. */
    private static class SilentConnection implements RedisConnection {
        private final AtomicInteger runs = new AtomicInteger();
        private final boolean answered;
        private boolean isClosed;

        SilentConnection(boolean answered) {
            this.answered = answered;
        }

        @Override
        public void run(
                Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
            runs.incrementAndGet();
        }

        @Override
        public boolean isOneMaster() {
            return false;
        }

        @Override
        public boolean hasAnswered() {
            return answered;
        }

        @Override
        public String masterOf(String key) {
            return "redis";
        }

        @Override
        public Set<String> masters() {
            return Set.of("redis");
        }

        @Override
        public CompletionStage<?> delete(String[] keys) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<?> ping(String master) {
            return new CompletableFuture<>();
        }

        @Override
        public void refresh() {}

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
