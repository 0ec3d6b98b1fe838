package dev.sluice.redis.client;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections with a client that the application owns.
 *
 * <p>The client has a connect timeout of its own, which may be long. So it connects on another thread, and nobody waits for
 * it longer than the patience. An attempt that takes longer goes on, and the next call waits for the same one: there is one
 * thread at most.
 */
final class LettuceClientConnector<C extends StatefulConnection<?, ?>> implements Connector {
    private static final ThreadFactory THREADS = ResilientConnection.threads("sluice-redis-client");

    private final Supplier<C> client;
    private final BiFunction<C, Duration, RedisConnection> connection;
    private @Nullable CompletableFuture<C> underWay;

    LettuceClientConnector(Supplier<C> client, BiFunction<C, Duration, RedisConnection> connection) {
        this.client = client;
        this.connection = connection;
    }

    @Override
    public synchronized RedisConnection connect(Duration patience) {
        CompletableFuture<C> attempt = underWay;
        if (attempt == null) {
            attempt = CompletableFuture.supplyAsync(
                    client, task -> THREADS.newThread(task).start());
            underWay = attempt;
        }
        try {
            C made = attempt.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            underWay = null;
            return connection.apply(made, patience);
        } catch (ExecutionException e) {
            underWay = null;
            throw new RedisConnectionException("the application's client cannot connect", e.getCause());
        } catch (TimeoutException e) {
            throw new RedisConnectionException(
                    "the application's client has not connected within " + patience.toMillis() + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisConnectionException("interrupted while the application's client was connecting");
        }
    }

    /** A connection that is made later is closed at once. */
    @Override
    public synchronized void close() {
        if (underWay != null) {
            underWay.thenAccept(StatefulConnection::close);
        }
    }
}
