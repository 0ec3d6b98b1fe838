package dev.sluice.spring.actuate;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** The health of the store, where Spring Boot 3 looks for it. */
final class HealthOnBoot3 implements HealthIndicator {
    private final StoreHealth state;

    HealthOnBoot3(StoreHealth state) {
        this.state = state;
    }

    @Override
    public Health health() {
        Health.Builder health = state.isUp() ? Health.up() : Health.status(StoreHealth.DEGRADED);
        return health.withDetails(state.details()).build();
    }
}
