package dev.sluice.bench.server;

import dev.sluice.bench.redis.RawPace;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everybody who takes part, each started when first needed and kept to the end. */
final class Fleet implements AutoCloseable {
    private final Launch launch;
    private final Map<Party, Child> children = new EnumMap<>(Party.class);
    private @Nullable RedisServer redis;
    private @Nullable RawPace raw;

    Fleet(Effort effort) {
        this.launch = new Launch(effort.rules(), () -> redis().url());
    }

    Child child(Party party) {
        return children.computeIfAbsent(party, launch::start);
    }

    /** One more, which belongs to the caller. */
    Child another(Party party) {
        return launch.start(party);
    }

    RedisServer redis() {
        if (redis == null) {
            redis = RedisServer.start(RedisBinary.system().orElseGet(RedisBinary::embedded));
        }
        return redis;
    }

    RawPace raw() {
        if (raw == null) {
            raw = new RawPace(redis().url());
        }
        return raw;
    }

    @Override
    public void close() {
        children.values().forEach(Child::close);
        if (raw != null) {
            raw.close();
        }
        if (redis != null) {
            redis.close();
        }
    }
}
