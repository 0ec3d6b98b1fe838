package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.LimiterContract;
import dev.sluice.contract.Subject;
import dev.sluice.redis.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The laws, for limiters on a real Redis that is told the time. */
@Tag("slow")
class RedisContractTest extends LimiterContract {
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
    protected Subject subject() {
        return store::limiter;
    }

    @Override
    protected int traces() {
        return Math.max(1, super.traces() / 50);
    }
}
