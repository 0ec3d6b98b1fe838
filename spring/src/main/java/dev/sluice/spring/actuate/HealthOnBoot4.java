package dev.sluice.spring.actuate;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health of the store, where Spring Boot 4 looks for it. */
final class HealthOnBoot4 implements HealthIndicator {
    private final StoreHealth state;

    HealthOnBoot4(StoreHealth state) {
        this.state = state;
    }

    @Override
    public Health health() {
        Health.Builder health = state.isUp() ? Health.up() : Health.status(StoreHealth.DEGRADED);
        return health.withDetails(state.details()).build();
    }
}
