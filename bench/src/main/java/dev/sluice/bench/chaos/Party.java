package dev.sluice.bench.chaos;

import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.util.Locale;

/** Who asks: through which client, and with which policy. */
record Party(Client client, OnFailure policy) {
    static final Party LETTUCE = new Party(Client.LETTUCE, OnFailure.LOCAL);
    static final Party JEDIS = new Party(Client.JEDIS, OnFailure.LOCAL);

    String clientName() {
        return client == Client.LETTUCE ? "Lettuce" : "Jedis";
    }

    String policyName() {
        return policy.name().toLowerCase(Locale.ROOT);
    }
}
