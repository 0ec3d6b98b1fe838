package dev.sluice.bench.redis;

import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;

/**
 * The Redis to measure on, the system's if there is one, and a connection to inspect it.
 *
 * <p>Every row has databases of its own, so that no row pays for the keys of another, and all keys stay from the first
 * round to the last.
 */
final class Server implements AutoCloseable {
    /** The last database, which is cleared before each use. */
    static final int SCRATCH = 2 * RedisRow.values().length;

    private final RedisServer server;
    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    private Server(RedisServer server) {
        this.server = server;
        this.client = RedisClient.create(server.url());
        this.commands = client.connect().sync();
    }

    static Server start() {
        return new Server(process("--databases", Integer.toString(SCRATCH + 1)));
    }

    /** Starts a server without a connection to it. */
    static RedisServer process(String... options) {
        return RedisServer.start(RedisBinary.system().orElseGet(RedisBinary::embedded), options);
    }

    /** The database of a row, for its one hot key or for its many. */
    static int database(RedisRow row, boolean hot) {
        return 2 * List.of(RedisRow.values()).indexOf(row) + (hot ? 0 : 1);
    }

    String url(int database) {
        return server.url() + "/" + database;
    }

    String version() {
        return commands.info("server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> line.substring(line.indexOf(':') + 1))
                .findFirst()
                .orElseThrow();
    }

    CommandStats commandStats() {
        return CommandStats.of(commands.info("commandstats"));
    }

    void clear(int database) {
        String unused = commands.select(database);
        unused = commands.flushdb();
    }

    List<String> keys(int database) {
        String unused = commands.select(database);
        return commands.keys("*");
    }

    /** Bytes of a key, its value and its place in the table, by Redis's own count. */
    long bytes(int database, String key) {
        String unused = commands.select(database);
        return commands.dispatch(
                CommandType.MEMORY,
                new IntegerOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add("USAGE")
                        .addKey(key)
                        .add("SAMPLES")
                        .add(0));
    }

    /** Counts one under a key that expires in a day. */
    void count(int database, String key) {
        String unused = commands.select(database);
        commands.incr(key);
        commands.pexpire(key, 86_400_000L);
    }

    @Override
    public void close() {
        client.shutdown();
        server.close();
    }
}
