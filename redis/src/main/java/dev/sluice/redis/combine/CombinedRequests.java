package dev.sluice.redis.combine;

import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.client.ResilientConnection.Receiver;
import dev.sluice.redis.combine.Combiner.Request;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
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
     * @param sent counts the requests that were sent
     * @param isTest whether they have the time of a test
     */
    record Transport(ResilientConnection connection, LongAdder sent, boolean isTest) {}

    private record GroupKey(LimitScripts scripts, String key) {}

    /** The requests of one script for the same keys. */
    private static final class Group {
        private final LimitScripts scripts;
        private final String[] keys;
        private final Operation operation;
        private final List<Request> requests = new ArrayList<>(1);
        private int runs;

        Group(Request first) {
            this.scripts = first.scripts();
            this.keys = first.keyNames();
            this.operation = changesNothing(first) ? Operation.TAKE : first.operation();
        }

        /** Whether it is for no permits, so that it may stand among requests that take permits. */
        static boolean changesNothing(Request request) {
            return request.permits() == 0;
        }

        void add(Request request) {
            requests.add(request);
            runs += continuesRun(requests.size() - 1) ? 0 : 1;
        }

        /** Whether a request is in one run with the one before it. */
        private boolean continuesRun(int index) {
            if (index == 0) {
                return false;
            }
            Request before = requests.get(index - 1);
            Request next = requests.get(index);
            return next.permits() == before.permits()
                    && next.maxDelay() == before.maxDelay()
                    && next.percent() == before.percent()
                    && next.permits() > 0
                    && scripts.makeRuns(next.permits());
        }

        /** The index after the last request of the run that begins at an index. */
        int endOfRun(int start) {
            int end = start + 1;
            while (end < requests.size() && continuesRun(end)) {
                end++;
            }
            return end;
        }

        int bytes() {
            return scripts.groupBytes() + runs * scripts.runBytes();
        }

        void addTo(ByteBuffer packed) {
            scripts.addGroup(packed, operation, runs);
            for (int start = 0; start < requests.size(); ) {
                int end = endOfRun(start);
                Request each = requests.get(start);
                scripts.addRun(packed, end - start, each.permits(), each.maxDelay(), each.percent());
                start = end;
            }
        }
    }

    private static final System.Logger LOG = System.getLogger(Combiner.class.getName());

    final List<Request> requests;
    /** Whether they have waited too long to be sent. */
    final boolean isLate;

    private final List<Group> groups;
    private ScriptReply @Nullable [] replies;
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
        Map<GroupKey, Group> takes = requests.size() == 1 ? Map.of() : new HashMap<>(2 * requests.size());
        for (Request each : requests) {
            Group group;
            if (requests.size() == 1 || (each.operation() != Operation.TAKE && !Group.changesNothing(each))) {
                group = new Group(each);
                groups.add(group);
            } else {
                GroupKey key = new GroupKey(each.scripts(), each.key());
                group = takes.get(key);
                if (group == null) {
                    group = new Group(each);
                    takes.put(key, group);
                    groups.add(group);
                }
            }
            group.add(each);
        }
        return groups;
    }

    /**
     * Runs the script; {@code then} is called with this when there is a reply, or will be none.
     *
     * @param late how many callers of others have waited for it too long
     */
    void send(Transport by, IntSupplier late, Consumer<CombinedRequests> then) {
        Request first = requests.get(0);
        boolean alone = requests.size() == 1;
        byte[] arguments = alone
                ? first.scripts().arguments(first.operation(), first.permits(), first.maxDelay(), first.percent())
                : arguments();
        byte[][] args = by.isTest()
                ? new byte[][] {arguments, LimitScripts.packedTime(first.testMicros())}
                : new byte[][] {arguments};
        Script script = alone ? first.scripts().decideAlone() : first.scripts().decide();
        IntSupplier unanswered =
                () -> requests.stream().mapToInt(Request::callers).sum() + late.getAsInt();
        Receiver receiver = new Receiver() {
            @Override
            public void replied(byte @Nullable [] bytes) {
                if (bytes != null) { // else it may be an error after the reply
                    replies = read(bytes);
                }
                then.accept(CombinedRequests.this);
            }

            @Override
            public void repliedLate(byte[] bytes) {
                deliverLate(read(bytes));
            }
        };
        boolean isSent = by.connection().run(script, alone ? first.keyNames() : keys(), args, unanswered, receiver);
        if (isSent) {
            by.sent().add(requests.size());
        }
    }

    private String[] keys() {
        List<String> keys = new ArrayList<>(groups.size());
        for (Group group : groups) {
            Collections.addAll(keys, group.keys);
        }
        return keys.toArray(String[]::new);
    }

    private byte[] arguments() {
        int bytes = 0;
        for (Group group : groups) {
            bytes += group.bytes();
        }
        byte[] arguments = new byte[bytes];
        ByteBuffer packed = LimitScripts.packed(arguments);
        groups.forEach(group -> group.addTo(packed));
        return arguments;
    }

    /**
     * The reply to each request, group by group. Throws if these are not the bytes of such replies: the connection is told
     * that they are nonsense.
     */
    private ScriptReply[] read(byte[] bytes) {
        ScriptReply[] read = new ScriptReply[requests.size()];
        ByteBuffer packed = LimitScripts.packed(bytes);
        int size = ScriptReply.bytes(requests.get(0).scripts());
        int at = 0;
        int index = 0;
        for (Group group : groups) {
            for (int start = 0; start < group.requests.size(); ) {
                int end = ScriptReply.isOfRun(packed, at) ? group.endOfRun(start) : start + 1;
                for (int i = start; i < end; i++) {
                    Request each = group.requests.get(i);
                    long permitsAfter = (end - 1 - i) * each.permits();
                    read[index++] = new ScriptReply(packed, at, permitsAfter, each.scripts(), each.percent());
                }
                start = end;
                at += size;
            }
        }
        if (bytes.length != at) {
            throw new IndexOutOfBoundsException("expected a reply of " + at + " bytes");
        }
        return read;
    }

    private void deliverLate(ScriptReply[] late) {
        int index = 0;
        for (Group group : groups) {
            for (Request each : group.requests) {
                each.decidedLate(late[index++]);
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
        ScriptReply[] read = replies;
        int index = 0;
        for (Group group : groups) {
            for (Request each : group.requests) {
                if (index == delivered) {
                    try {
                        each.decided(read == null ? null : read[index]);
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
