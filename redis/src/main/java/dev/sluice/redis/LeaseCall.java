package dev.sluice.redis;

import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.Script;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * One call of lease.lua.
 *
 * @param id when the hold was taken, or its id
 * @param permits of the hold; 0 for any
 * @param next the id that it gets
 * @param leaseMicros how long it lasts from now on; 0 ends it
 */
record LeaseCall(long id, long permits, long next, long leaseMicros) {
    static final Script SCRIPT = Script.standAlone("lease");

    /** Ends the hold with this id. */
    static LeaseCall end(long id) {
        return new LeaseCall(id, 0, id, 0);
    }

    /** Of the names of the limits' states those of the limits that hold permits. */
    static String[] holdingNames(LimitScripts scripts, String[] names) {
        return IntStream.range(0, names.length)
                .filter(i -> scripts.limits().get(i).holds())
                .mapToObj(i -> names[i])
                .toArray(String[]::new);
    }

    byte[] arguments() {
        return ByteBuffer.allocate(4 * Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble((double) id)
                .putDouble((double) permits)
                .putDouble((double) next)
                .putDouble((double) leaseMicros)
                .array();
    }

    /** Whether there was such a hold. */
    static boolean found(byte[] reply) {
        return ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN).getDouble() == 1;
    }
}
