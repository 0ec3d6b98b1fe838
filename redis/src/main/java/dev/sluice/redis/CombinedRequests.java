package dev.sluice.redis;

import dev.sluice.redis.Combiner.Request;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.client.ResilientConnection.Receiver;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests that go in one script, and the parts of its reply.
 *
 * <p>Requests for the same keys are a group, whose states the script reads and writes once. It replies group by group.
 */
final class CombinedRequests {
    /**
     * How they are sent.
     *
     * @param isTest whether they have the time of a test
     */
    record Transport(ResilientConnection connection, FallbackCounters counters, boolean isTest) {}

    private record GroupKey(LimitScripts scripts, String key) {}

    /** The requests of one script for the same keys. */
    private static final class Group {
        private final LimitScripts scripts;
        private final String[] keys;
        private final Operation operation;
        private final List<Request> requests = new ArrayList<>(1);

        Group(Request first) {
            this.scripts = first.scripts();
            this.keys = first.keys();
            this.operation = changesNothing(first) ? Operation.TAKE : first.operation();
        }

        /** Whether it is for no permits, so that it may stand among requests that take permits. */
        static boolean changesNothing(Request request) {
            return request.permits() == 0;
        }

        int bytes() {
            return scripts.groupBytes() + requests.size() * scripts.requestBytes();
        }

        void addTo(ByteBuffer packed) {
            scripts.addGroup(packed, operation, requests.size());
            for (Request each : requests) {
                scripts.addRequest(packed, each.permits(), each.maxDelay(), each.percent());
            }
        }
    }

    private static final System.Logger LOG = System.getLogger(Combiner.class.getName());

    final List<Request> requests;
    /** Whether they have waited too long to be sent. */
    final boolean isLate;

    private final List<Group> groups;
    private byte @Nullable [] reply;
    /** Whether the reply has been noted; guarded by who sends these. */
    boolean isReplied;

    /** Those that failed before these; guarded likewise. */
    @Nullable
    CombinedRequests failedBefore;

    private final AtomicBoolean isDelivered = new AtomicBoolean();
    /** How many requests have the reply. */
    private int delivered;

    CombinedRequests(List<Request> requests, boolean isLate) {
        this.requests = requests;
        this.isLate = isLate;
        this.groups = groups(requests);
    }

    /** Takes for the same keys are one group. A peek for permits is one by itself: the script takes them as if. */
    private static List<Group> groups(List<Request> requests) {
        List<Group> groups = new ArrayList<>(requests.size());
        Map<GroupKey, Group> takes = requests.size() == 1 ? Map.of() : new LinkedHashMap<>();
        for (Request each : requests) {
            Group group;
            if (requests.size() == 1 || (each.operation() != Operation.TAKE && !Group.changesNothing(each))) {
                group = new Group(each);
                groups.add(group);
            } else {
                GroupKey key = new GroupKey(each.scripts(), each.keys()[0]);
                group = takes.get(key);
                if (group == null) {
                    group = new Group(each);
                    takes.put(key, group);
                    groups.add(group);
                }
            }
            group.requests.add(each);
        }
        return groups;
    }

    /**
     * Runs the script; {@code then} is called with this when there is a reply, or will be none.
     *
     * @param late how many callers of others have waited for it too long
     */
    void send(Transport by, IntSupplier late, Consumer<CombinedRequests> then) {
        List<String> keys = new ArrayList<>(groups.size());
        int bytes = 0;
        for (Group group : groups) {
            Collections.addAll(keys, group.keys);
            bytes += group.bytes();
        }
        byte[] arguments = new byte[bytes];
        ByteBuffer packed = LimitScripts.packed(arguments);
        groups.forEach(group -> group.addTo(packed));
        Request first = requests.get(0);
        byte[][] args = by.isTest()
                ? new byte[][] {arguments, ScriptCalls.packedTime(first.testMicros())}
                : new byte[][] {arguments};
        Script script = first.scripts().decide();
        IntSupplier unanswered =
                () -> requests.stream().mapToInt(Request::callers).sum() + late.getAsInt();
        Receiver receiver = new Receiver() {
            @Override
            public void replied(byte @Nullable [] bytes) {
                if (bytes != null) { // else it may be an error after the reply
                    reply = checked(bytes);
                }
                then.accept(CombinedRequests.this);
            }

            @Override
            public void repliedLate(byte[] bytes) {
                deliverLate(checked(bytes));
            }
        };
        boolean sent = by.connection().run(script, keys.toArray(String[]::new), args, unanswered, receiver);
        if (sent) {
            by.counters().asked.add(requests.size());
        }
    }

    /** Throws if the reply is not one to these requests: the connection is told that it was nonsense. */
    private byte[] checked(byte[] bytes) {
        int expected = ScriptReply.bytes(requests.get(0).scripts()) * requests.size();
        if (bytes.length != expected) {
            throw new IndexOutOfBoundsException("expected a reply of " + expected + " bytes");
        }
        return bytes;
    }

    private void deliverLate(byte[] bytes) {
        int size = ScriptReply.bytes(requests.get(0).scripts());
        int index = 0;
        for (Group group : groups) {
            for (Request each : group.requests) {
                each.decidedLate(new ScriptReply(bytes, index * size, each.scripts(), each.percent()));
                index++;
            }
        }
    }

    /** Passes the reply on to each request, once. What one of them throws keeps nothing from the others. */
    void deliver() {
        if (isDelivered.compareAndSet(false, true)) {
            try {
                deliverRest();
            } catch (Error e) {
                Combiner.ELSEWHERE.execute(this::deliverInSpiteOfErrors);
                throw e;
            }
        }
    }

    private void deliverInSpiteOfErrors() {
        while (delivered < requests.size()) {
            try {
                deliverRest();
            } catch (Error e) {
                delivered++;
                LOG.log(System.Logger.Level.ERROR, "a continuation failed", e);
            }
        }
    }

    private void deliverRest() {
        int size = ScriptReply.bytes(requests.get(0).scripts());
        byte[] bytes = reply;
        int index = 0;
        for (Group group : groups) {
            for (Request each : group.requests) {
                if (index == delivered) {
                    try {
                        each.decided(
                                bytes == null
                                        ? null
                                        : new ScriptReply(bytes, index * size, each.scripts(), each.percent()));
                    } catch (RuntimeException e) {
                        LOG.log(System.Logger.Level.WARNING, "a continuation failed", e);
                    }
                    delivered++;
                }
                index++;
            }
        }
    }
}
