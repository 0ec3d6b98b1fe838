package dev.sluice.contract;

import dev.sluice.Limiter;

/** The laws, for limiters in this JVM. */
class LocalContractTest extends LimiterContract {
    @Override
    protected Subject subject() {
        return Limiter::local;
    }
}
