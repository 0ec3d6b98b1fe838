package dev.sluice.bench.chaos;

import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.util.Locale;

/** A client of Redis, and the policy of its store. */
record Caller(Client client, OnFailure policy) {
    static final Caller LETTUCE = new Caller(Client.LETTUCE, OnFailure.LOCAL);
    static final Caller JEDIS = new Caller(Client.JEDIS, OnFailure.LOCAL);

    String clientName() {
        return client == Client.LETTUCE ? "Lettuce" : "Jedis";
    }

    String policyName() {
        return policy.name().toLowerCase(Locale.ROOT);
    }
}
