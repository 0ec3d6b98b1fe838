package dev.sluice.spring;

import dev.sluice.Store;

/** The application's own connection to Redis. */
@FunctionalInterface
interface ApplicationRedis {
    /** A store that goes through it. */
    Store store(SluiceProperties.Redis redis);
}
