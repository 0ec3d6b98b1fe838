package dev.sluice.redis;

import dev.sluice.OnFailure;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.StoreBuilder;
import dev.sluice.redis.client.Connector;
import dev.sluice.redis.client.JedisConnector;
import dev.sluice.redis.client.LettuceConnector;
import dev.sluice.redis.client.Login;
import dev.sluice.redis.client.RedisAddress;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.client.Tls;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.hold.LimitersOfOneName;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.wait.OpenWaits;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;

/** Builds a store: the address of Redis, the login, and the failure policy. */
public final class RedisStoreBuilder {
    /** Which client makes the connection. */
    public enum Client {
        /** Asynchronous; many calls share one connection. */
        LETTUCE,
        /** Blocking; a call occupies a thread of the store and a connection of a pool. */
        JEDIS
    }

    private static final int DEFAULT_MAX_IN_FLIGHT = 10_000;

    /** How to use what the application gave; null without. */
    private @Nullable Supplier<Connector> connector;

    private final StoreBuilder memory = Store.builder();
    private @Nullable String url;
    private @Nullable Client client;
    private @Nullable Tls tls;
    private @Nullable Login login;
    private @Nullable Login sentinelLogin;
    private int maxInFlight = DEFAULT_MAX_IN_FLIGHT;
    private String prefix = "sluice";
    private Duration timeout = Duration.ofMillis(50);
    private Duration lease = Duration.ofSeconds(30);
    private OnFailure onFailure = OnFailure.LOCAL;
    private @Nullable LongSupplier testMicros;
    private List<EventLoop> eventLoops = List.of();

    RedisStoreBuilder() {}

    /**
     * The address of Redis.
     *
     * <pre>
     *   redis://[[user]:password@]host[:port][/database]
     *   redis-sentinel://[[user]:password@]host[:port],host[:port]…[/database]#master
     *   redis-cluster://[[user]:password@]host[:port],host[:port]…
     * </pre>
     *
     * The schemes {@code rediss}, {@code rediss-sentinel} and {@code rediss-cluster} mean TLS. Special characters in a user
     * or a password are percent-encoded, as in {@code %40}. The user and the password are for Redis and not for the
     * Sentinels; those have {@link #sentinelCredentials}. Redis need not be there yet.
     *
     * <p>If {@code redis://} leads to a node of a cluster, the store finds that out and connects to the cluster.
     */
    public RedisStoreBuilder url(String url) {
        this.url = url;
        return this;
    }

    /** Which client connects to the URL. Default: Lettuce if it is on the class path, else Jedis. */
    public RedisStoreBuilder client(Client client) {
        this.client = client;
        return this;
    }

    /**
     * Over TLS, trusts the certificates in this PEM file in place of the JDK's: those of an authority, or the server's own.
     * The server's certificate must be for the host in the URL.
     */
    public RedisStoreBuilder trust(Path certificates) {
        this.tls = (tls == null ? Tls.DEFAULT : tls).withTrust(certificates);
        return this;
    }

    /** Over TLS, our certificate and key from this PKCS #12 file, for a Redis that asks for a client certificate. */
    public RedisStoreBuilder identity(Path keyStore, String password) {
        this.tls = (tls == null ? Tls.DEFAULT : tls).withIdentity(keyStore, password);
        return this;
    }

    /**
     * The user and the password, in place of those in the URL. The password is asked for by every new connection, so it may
     * change while the store runs, as the tokens of a cloud's identity service do. The supplier should answer at once. If it
     * throws, the connection fails and is tried again.
     *
     * @param user the user; {@code default} if Redis has no others
     */
    public RedisStoreBuilder credentials(String user, Supplier<String> password) {
        this.login = login("credentials", user, password);
        return this;
    }

    /** The user and the password of the Sentinels, which are not those of Redis. Default: none. */
    public RedisStoreBuilder sentinelCredentials(String user, Supplier<String> password) {
        this.sentinelLogin = login("sentinelCredentials", user, password);
        return this;
    }

    private static Login login(String what, String user, Supplier<String> password) {
        if (user.isEmpty()) {
            throw new IllegalArgumentException(what + " need a user, was \"\": write \"default\" for the default user");
        }
        // without a user, AUTH is understood by every server
        return new Login(user.equals("default") ? null : user, password);
    }

    /** An existing Lettuce connection, with its own codec and options. It stays open when the store is closed. */
    public RedisStoreBuilder connection(StatefulRedisConnection<?, ?> connection) {
        this.connector = () -> LettuceConnector.over(connection);
        return this;
    }

    /** The same to a cluster. */
    public RedisStoreBuilder connection(StatefulRedisClusterConnection<?, ?> connection) {
        this.connector = () -> LettuceConnector.over(connection);
        return this;
    }

    /**
     * An existing Lettuce client, with its own options, from which the store makes a connection. The client stays open when
     * the store is closed. Redis need not be there yet.
     */
    public RedisStoreBuilder lettuce(RedisClient client) {
        this.connector = () -> LettuceConnector.with(client);
        return this;
    }

    /** The same with a client for a cluster. */
    public RedisStoreBuilder lettuce(RedisClusterClient client) {
        this.connector = () -> LettuceConnector.with(client);
        return this;
    }

    /** An existing Jedis client or pool, with its own timeouts. It stays open when the store is closed. */
    public RedisStoreBuilder jedis(UnifiedJedis jedis) {
        this.connector = () -> JedisConnector.over(jedis, timeout);
        return this;
    }

    /** The prefix of all key names. Default: {@code sluice}. */
    public RedisStoreBuilder prefix(String prefix) {
        this.prefix = prefix;
        return this;
    }

    /** How long to wait for a reply, 1 millisecond to 1 minute. Default: 50 milliseconds. */
    public RedisStoreBuilder timeout(Duration timeout) {
        if (timeout.toMillis() < 1 || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("timeout must be 1 millisecond to 1 minute, was " + timeout);
        }
        this.timeout = timeout;
        return this;
    }

    /**
     * How many calls may wait for Redis at the same time, 1 or more. The failure policy decides those above at once, and
     * {@link RedisCounters#refusals} counts them. Default: 10,000.
     */
    public RedisStoreBuilder maxInFlight(int maxInFlight) {
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("maxInFlight must be 1 or more, was " + maxInFlight);
        }
        this.maxInFlight = maxInFlight;
        return this;
    }

    /** How limiters decide while Redis does not answer, unless they set it themselves. Default: {@link OnFailure#LOCAL}. */
    public RedisStoreBuilder onFailure(OnFailure onFailure) {
        this.onFailure = onFailure;
        return this;
    }

    /**
     * How long permits of a concurrency limit stay held after their holder has died, 1 second to 1 day. While it lives
     * they are renewed. Default: 30 seconds.
     */
    public RedisStoreBuilder lease(Duration lease) {
        if (lease.toSeconds() < 1 || lease.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("a lease is 1 second to 1 day, was " + lease);
        }
        this.lease = lease;
        return this;
    }

    /**
     * The bound on the bytes of this process that limiters take while they decide in place of Redis; 1 or more. Default:
     * a quarter of the largest heap that the JVM may use.
     */
    public RedisStoreBuilder maxBytes(long maxBytes) {
        memory.maxBytes(maxBytes);
        return this;
    }

    /**
     * The event loops of the application. Each gets a connection of its own to Redis, so that what it asks does not go to
     * another thread and back, and what it reads together goes to Redis together. The decisions that are asked for on an
     * event loop are made on it, and it must not wait for one. Default: none.
     *
     * <p>They must have the transport that Lettuce chooses: the native one if that is on the class path. They are not used on a
     * cluster, nor with Jedis.
     */
    public RedisStoreBuilder eventLoops(EventLoopGroup group) {
        List<EventLoop> loops = new ArrayList<>();
        group.forEach(each -> loops.add((EventLoop) each));
        this.eventLoops = List.copyOf(loops);
        return this;
    }

    /** Takes the time from this clock and not from the server; leases do not end and keys do not expire. */
    RedisStoreBuilder testMicros(LongSupplier testMicros) {
        this.testMicros = testMicros;
        return this;
    }

    public RedisStore build() {
        Connector connector = new WarmUp(connector(), prefix);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "sluice-redis");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        ResilientConnection connection = new ResilientConnection(connector, timeout, maxInFlight);
        FallbackCounters counters = new FallbackCounters();
        return new RedisStore(new RedisStore.Setup(
                connection,
                new Combiner(connection, counters.asked, timeout, testMicros != null),
                prefix,
                counters,
                memory.build(),
                new DenialCache(),
                executor,
                Scheduler.system(),
                new OpenWaits(timeout),
                new LimitersOfOneName(),
                onFailure,
                testMicros == null ? TimeUnit.MICROSECONDS.convert(lease) : 0,
                Script.file(testMicros == null ? "server-time" : "test-time"),
                testMicros));
    }

    private Connector connector() {
        if (connector != null
                && (url != null || client != null || tls != null || login != null || sentinelLogin != null)) {
            throw new IllegalArgumentException("a connection was given: url, client, trust, identity, credentials and"
                    + " sentinelCredentials cannot be set as well");
        }
        if (connector != null) {
            return connector.get();
        }
        if (url == null) {
            throw new IllegalArgumentException(
                    "no address of Redis: call url(\"redis://127.0.0.1:6379\"), or give a connection");
        }
        RedisAddress address = RedisAddress.of(url);
        check(address);
        Login login = this.login == null ? address.login() : this.login;
        Tls tls = this.tls == null ? Tls.DEFAULT : this.tls;
        return switch (chosen()) {
            case LETTUCE -> new LettuceConnector(address, login, sentinelLogin, tls, eventLoops);
            case JEDIS -> new JedisConnector(address, login, sentinelLogin, tls, timeout);
        };
    }

    /** The options that are only for some addresses. */
    private void check(RedisAddress address) {
        if (tls != null && !address.tls()) {
            throw new IllegalArgumentException(
                    "trust and identity are for TLS, but " + address + " does not use it: write rediss");
        }
        if (login != null && address.login() != null) {
            throw new IllegalArgumentException(
                    "credentials are set, and the URL has a user or password too: leave out what stands before the '@' of "
                            + address);
        }
        if (sentinelLogin != null && address.kind() != RedisAddress.Kind.SENTINEL) {
            throw new IllegalArgumentException(
                    "sentinelCredentials are for Sentinels, but " + address + " names none: write redis-sentinel://");
        }
    }

    private Client chosen() {
        boolean lettuce = isPresent("io.lettuce.core.RedisClient");
        boolean jedis = isPresent("redis.clients.jedis.UnifiedJedis");
        if (client == Client.LETTUCE ? !lettuce : client == Client.JEDIS ? !jedis : !lettuce && !jedis) {
            throw new IllegalStateException((client == null ? "no client for Redis is" : client + " is not")
                    + " on the class path: add io.lettuce:lettuce-core, or redis.clients:jedis");
        }
        return client != null ? client : lettuce ? Client.LETTUCE : Client.JEDIS;
    }

    private static boolean isPresent(String className) {
        try {
            Class.forName(className, false, RedisStoreBuilder.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
