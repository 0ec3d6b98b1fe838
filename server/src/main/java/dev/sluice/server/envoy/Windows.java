package dev.sluice.server.envoy;

import dev.sluice.server.envoy.WindowCounter.Standing;
import java.util.function.LongSupplier;

/** Windows that begin at whole multiples of their unit since 1970. */
record Windows(LongSupplier wallMicros) {

    /** How a limit stands whose window stands so. */
    Ruled ruled(Quota quota, Unit unit, Standing standing) {
        long limit = quota.requestsPerUnit();
        long left = unit.micros() - Math.floorMod(wallMicros.getAsLong(), unit.micros());
        long ends = standing.endsInMicros() > 0 ? standing.endsInMicros() : left;
        return Ruled.of(
                quota.message(),
                unit.period().toSeconds(),
                quota.mode(),
                standing.used() > limit,
                Math.max(0, limit - standing.used()),
                ends,
                ends,
                quota.metadata());
    }
}
