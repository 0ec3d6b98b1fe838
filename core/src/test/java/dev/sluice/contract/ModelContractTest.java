package dev.sluice.contract;

import dev.sluice.model.ModelLimiter;
import org.junit.jupiter.api.Tag;

/** The laws hold for the reference model itself, so that likeness to it means something. */
@Tag("slow")
class ModelContractTest extends LimiterContract {
    @Override
    protected Subject subject() {
        return ModelLimiter::new;
    }

    @Override
    protected int traces() {
        return Math.max(1, super.traces() / 10);
    }
}
