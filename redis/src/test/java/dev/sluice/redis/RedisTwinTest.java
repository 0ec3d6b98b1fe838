package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Subject;
import dev.sluice.contract.TwinContract;
import dev.sluice.redis.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The Lua of each algorithm on a real Redis decides as its Java does. */
@Tag("slow")
class RedisTwinTest extends TwinContract {
    private RedisServer server;
    private TestClockStore store;

    @BeforeAll
    void start() {
        server = RedisServer.start();
        store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE);
    }

    @AfterAll
    void stop() {
        assertThat(store.counters().deniedByPolicy()).isZero();
        store.close();
        server.close();
    }

    @Override
    protected Subject twin() {
        return store::limiter;
    }
}
