package dev.sluice.redis.hold;

import dev.sluice.Limit;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.Script;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One call of lease.lua. It may be repeated.
 *
 * @param id when the hold was taken, or its id
 * @param permits of the hold; 0 for any
 * @param next the id that it gets
 * @param leaseMicros how long it lasts from now on; 0 ends it
 */
record LeaseCall(long id, long permits, long next, long leaseMicros) {
    static final Script SCRIPT = Script.standAlone("lease");

    /** What became of the hold. */
    enum Result {
        /** There was none, and others hold its permits. */
        GONE,
        FOUND,
        /** There was none, and it has been added again. */
        RESTORED
    }

    /** Ends the hold with this id. */
    static LeaseCall end(long id) {
        return new LeaseCall(id, 0, id, 0);
    }

    /** The same hold with another lease. */
    LeaseCall withLease(long micros) {
        return new LeaseCall(id, permits, next, micros);
    }

    /** Of the names of the limits' states those of the limits that hold permits. */
    static String[] holdingNames(LimitScripts scripts, String[] names) {
        return IntStream.range(0, names.length)
                .filter(i -> scripts.limits().get(i).holds())
                .mapToObj(i -> names[i])
                .toArray(String[]::new);
    }

    byte[] arguments(LimitScripts scripts) {
        List<Limit> holding = scripts.limits().stream().filter(Limit::holds).toList();
        ByteBuffer packed = ByteBuffer.allocate((4 + holding.size()) * Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble((double) id)
                .putDouble((double) permits)
                .putDouble((double) next)
                .putDouble((double) leaseMicros);
        holding.forEach(limit -> packed.putDouble((double) limit.capacity()));
        return packed.array();
    }

    static Result result(byte[] reply) {
        double code = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN).getDouble();
        if (code != 0 && code != 1 && code != 2) {
            throw new IndexOutOfBoundsException("not a reply of this script: " + code);
        }
        return Result.values()[(int) code];
    }
}
