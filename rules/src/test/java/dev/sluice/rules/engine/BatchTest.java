package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules whose permits are fetched ahead for hot keys. */
@Timeout(60)
class BatchTest {
    private static final int CHECKS = 2000;
    private static final String RULES = "rules: [{ name: hot, limits: [100000 per 1h], batch: %s }]";

    private static RuleSet rules(String batch) {
        return RuleFile.parse("rules.yaml", RULES.formatted(batch));
    }

    private static long asked(RedisStore store, RuleEngine engine) {
        long before = store.counters().asked();
        for (int i = 0; i < CHECKS; i++) {
            assertThat(engine.check(request("")).join().allowed()).isTrue();
        }
        return store.counters().asked() - before;
    }

    @Test
    void batchesSpareCallsAndCanBeTurnedOnAndOff() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(server.url())
                        .timeout(Duration.ofSeconds(10))
                        .onFailure(OnFailure.DENY)
                        .build()) {
            RuleEngine engine = new RuleEngine(store, rules("auto"));
            assertThat(asked(store, engine)).isLessThan(CHECKS / 2);
            engine.apply(rules("off"));
            assertThat(asked(store, engine)).isGreaterThanOrEqualTo(CHECKS);
            engine.apply(rules("auto"));
            assertThat(asked(store, engine)).isLessThan(CHECKS / 2);
        }
    }
}
