package dev.sluice.redis.hold;

import dev.sluice.Limit;
import dev.sluice.redis.hold.HoldRenewals.Group;
import dev.sluice.redis.hold.HoldRenewals.KeyHolds;
import dev.sluice.redis.hold.HoldRenewals.Renewed;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.Script;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One call of renew.lua: its keys, its arguments and its reply. */
final class RenewalCall {
    static final Script SCRIPT = Script.standAlone("renew");

    private static final int GROUP_BYTES = 3 * Double.BYTES;

    private final List<KeyHolds> holds;
    private final LimitScripts scripts;
    /** The numbers of the limits that hold permits. */
    private final int[] holding;

    RenewalCall(List<KeyHolds> holds, LimitScripts scripts) {
        this.holds = holds;
        this.scripts = scripts;
        List<Limit> limits = scripts.limits();
        this.holding = IntStream.range(0, limits.size())
                .filter(i -> limits.get(i).holds())
                .toArray();
    }

    /** The names of the keys, one for each key and limit that holds permits. */
    String[] keyNames(KeyNames keyNames) {
        List<String> names = new ArrayList<>();
        for (KeyHolds each : holds) {
            String[] all = keyNames.of(each.key(), scripts.identities());
            for (int limit : holding) {
                names.add(all[limit]);
            }
        }
        return names.toArray(String[]::new);
    }

    byte[] arguments() {
        int groups = holds.stream().mapToInt(each -> each.groups().size()).sum();
        int size = Double.BYTES + holding.length * (holds.size() * 2 * Double.BYTES + groups * GROUP_BYTES);
        ByteBuffer packed = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        packed.putDouble((double) scripts.leaseMicros());
        for (KeyHolds each : holds) {
            for (int limit : holding) {
                packed.putDouble((double) scripts.limits().get(limit).capacity());
                packed.putDouble((double) each.groups().size());
                for (Group group : each.groups()) {
                    packed.putDouble((double) group.taken().takenAtMicros())
                            .putDouble((double) group.taken().charged())
                            .putDouble((double) group.count());
                }
            }
        }
        return packed.array();
    }

    /** What became of each group; with several limits, what became of it in the worst case. */
    List<Renewed> renewed(byte[] reply) {
        int groups = holds.stream().mapToInt(each -> each.groups().size()).sum();
        if (reply.length != groups * holding.length * 2 * Double.BYTES) {
            throw new IndexOutOfBoundsException(
                    "a reply of " + reply.length + " bytes is not one to " + groups + " groups");
        }
        ByteBuffer packed = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
        List<Renewed> all = new ArrayList<>();
        for (KeyHolds each : holds) {
            int first = all.size();
            for (int i = 0; i < holding.length; i++) {
                for (int group = 0; group < each.groups().size(); group++) {
                    Renewed one = new Renewed((long) packed.getDouble(), (long) packed.getDouble());
                    if (i == 0) {
                        all.add(one);
                    } else {
                        Renewed other = all.get(first + group);
                        all.set(
                                first + group,
                                new Renewed(
                                        Math.max(one.restored(), other.restored()),
                                        Math.max(one.lost(), other.lost())));
                    }
                }
            }
        }
        return all;
    }
}
