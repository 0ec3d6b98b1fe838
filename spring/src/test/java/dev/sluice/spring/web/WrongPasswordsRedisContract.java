package dev.sluice.spring.web;

import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spring.RunningApp;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Two applications on one Redis. */
abstract class WrongPasswordsRedisContract extends WrongPasswordsContract {
    private final RedisServer redis = RedisServer.start();
    private RunningApp other;

    @SuppressWarnings("NullAway.Init")
    WrongPasswordsRedisContract(Stack stack) {
        super(stack);
    }

    @Override
    String store() {
        return redis.url();
    }

    @Override
    RunningApp other() {
        return other;
    }

    @BeforeAll
    void startOther() {
        other = start();
    }

    @AfterAll
    void stopAll() {
        other.close();
        redis.close();
    }
}
