package dev.sluice.redis;

import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a store to Redis, those that come while a script is under way together in the next one.
 *
 * <pre>
 *   request  1       2 3 4        5 6
 *   script   [ 1 ]   |     [ 2 3 4 ] [ 5 6 ]
 *             '-- sent at once    '-- sent when the reply to the one before has come
 * </pre>
 *
 * <p>Why: a script has a fixed cost, for Redis and for both ends of the connection, that is several times the cost of a
 * decision. The busier a store is, the more requests share it. A lone request is sent at once and waits for nobody. The
 * script decides the requests one after another in the order in which they came, so the decisions are those of a script for
 * each.
 *
 * <p>Only requests for the same script can go together; on a cluster, where a script uses one slot, only those for the same
 * key. A full batch does not wait for a reply: else a distant Redis would bound the number of decisions.
 */
final class Combiner {
    /** A request that a script decides. */
    interface Request {
        LimitScripts scripts();

        /** The keys of its limits. */
        String[] keys();

        Operation operation();

        long permits();

        long maxDelay();

        int percent();

        /** When it was asked, by {@link System#nanoTime}. */
        long askedAtNanos();

        /** The time in tests, where it is not the server's. */
        long testMicros();

        /** Gets the script's reply, or null if there is none; once. */
        void decided(@Nullable ScriptReply reply);
    }

    private static final System.Logger LOG = System.getLogger(Combiner.class.getName());

    /** Does what is left to do when an {@link Error}, such as that a stack is used up, ends the work of a thread. */
    private static final Executor ELSEWHERE = ForkJoinPool.commonPool();

    private static final long MAX_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The most requests in one script. */
    static final int MAX_REQUESTS = 64;

    /**
     * While so many scripts are under way, requests wait for a reply. With more, requests would overtake each other: a
     * client writes at once on its own thread, and later on others.
     */
    private static final int MAX_UNDER_WAY = 1;

    /** Requests that may go together: all of one script, or on a cluster those for the same first key. */
    private record LaneKey(Script script, String key) {}

    private final ResilientConnection connection;
    private final FallbackCounters counters;
    /** Less than the timeout by what it may take to notice that a call is overdue. */
    private final long maxGatheredNanos;

    private final boolean isTest;
    private final ConcurrentHashMap<LaneKey, Lane> lanes = new ConcurrentHashMap<>();
    private final DamagedStates damagedStates = new DamagedStates();

    /** Requests older than {@code timeout}, less a margin, are not sent any more. */
    Combiner(ResilientConnection connection, FallbackCounters counters, Duration timeout, boolean isTest) {
        this.connection = connection;
        this.counters = counters;
        this.maxGatheredNanos = timeout.toNanos() - Math.min(timeout.toNanos() / 5, MAX_MARGIN_NANOS);
        this.isTest = isTest;
    }

    DamagedStates damagedStates() {
        return damagedStates;
    }

    /** Sends the request, at once or with others. */
    void ask(Request request) {
        boolean oneMaster = connection.isOneMaster();
        LaneKey key = new LaneKey(request.scripts().decide(), oneMaster ? "" : request.keys()[0]);
        lanes.computeIfAbsent(key, Lane::new).ask(request);
    }

    /** Sends the request by itself. */
    void askAlone(Request request) {
        if (isLate(request.askedAtNanos())) {
            request.decided(null);
        } else {
            new Batch(List.of(request), false).send(() -> 0, Batch::deliver);
        }
    }

    /** Whether a request of that instant has waited so long that it would not end within twice the timeout. */
    boolean isLate(long askedAtNanos) {
        return System.nanoTime() - askedAtNanos > maxGatheredNanos;
    }

    private boolean isLate(Request request, long now) {
        return now - request.askedAtNanos() > maxGatheredNanos;
    }

    private final class Lane {
        private final LaneKey key;
        private final ArrayDeque<Request> waiting = new ArrayDeque<>();
        /** Batches whose reply came on the thread that sends, while it was sending. */
        private final ArrayDeque<Batch> answered = new ArrayDeque<>();

        private int underWay;
        /** The thread that sends: one at a time, so that batches go in their order. */
        private @Nullable Thread sender;
        /** The last batch that met an error while it was sent; whoever comes next ends it without a reply. */
        private @Nullable Batch failed;

        Lane(LaneKey key) {
            this.key = key;
        }

        void ask(Request request) {
            synchronized (this) {
                waiting.add(request);
            }
            sendBatches();
        }

        /** Sends what may be sent. A reply that comes meanwhile on this thread is delivered afterwards, so none recurses. */
        private void sendBatches() {
            try {
                sendAndDeliver();
            } catch (Error e) {
                ELSEWHERE.execute(this::sendAndDeliver); // what others wait for
                throw e;
            }
        }

        /** Where sending ends with an error, no method is called to note it: there may be no stack left for one. */
        private void sendAndDeliver() {
            for (Batch batch = nextFailed(); batch != null; batch = nextFailed()) {
                replied(batch);
            }
            for (Batch batch = begin(); batch != null; batch = begin()) {
                boolean isSent = false;
                try {
                    send(batch);
                    isSent = true;
                } finally {
                    synchronized (this) {
                        sender = null;
                        if (!isSent) {
                            batch.failedBefore = failed;
                            failed = batch;
                        }
                    }
                }
            }
            for (Batch batch = nextAnswered(); batch != null; batch = nextAnswered()) {
                batch.deliver();
            }
        }

        private void send(Batch batch) {
            try {
                if (batch.isLate) {
                    replied(batch);
                } else {
                    batch.send(this::late, this::replied);
                }
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a script could not be sent", e);
                replied(batch);
            }
        }

        /** How many have waited too long for the script that is under way. */
        private synchronized int late() {
            long now = System.nanoTime();
            return (int) waiting.stream().takeWhile(each -> isLate(each, now)).count();
        }

        private synchronized @Nullable Batch nextFailed() {
            Batch next = failed;
            failed = next == null ? null : next.failedBefore;
            return next;
        }

        /** The next batch, which the caller sends; null if there is none, or another thread sends it. */
        private synchronized @Nullable Batch begin() {
            boolean full = waiting.size() >= MAX_REQUESTS;
            if (sender != null || waiting.isEmpty() || (underWay >= MAX_UNDER_WAY && !full)) {
                return null;
            }
            Thread self = Thread.currentThread();
            Batch next = next();
            for (int i = next.requests.size(); i > 0; i--) {
                waiting.remove();
            }
            underWay++;
            sender = self;
            return next;
        }

        private synchronized @Nullable Batch nextAnswered() {
            boolean isIdle = underWay == 0 && waiting.isEmpty() && answered.isEmpty();
            if (isIdle && !key.key.isEmpty()) {
                lanes.remove(key, this); // whoever has found it already can still use it
            }
            return answered.poll();
        }

        private void replied(Batch batch) {
            boolean whileSending;
            synchronized (this) {
                if (batch.isReplied) {
                    return; // an error came after the reply
                }
                whileSending = sender == Thread.currentThread();
                if (whileSending) {
                    answered.add(batch);
                }
                underWay--;
                batch.isReplied = true;
            }
            if (!whileSending) {
                try {
                    sendBatches(); // first: a caller's continuation may take long
                } finally {
                    batch.deliver();
                }
            }
        }

        /** The requests to send next, or those that have waited too long. They are still waiting. */
        private Batch next() {
            List<Request> requests = new ArrayList<>(Math.min(waiting.size(), MAX_REQUESTS));
            long now = System.nanoTime();
            for (Request each : waiting) {
                if (!isLate(each, now)) {
                    break;
                }
                requests.add(each);
            }
            if (!requests.isEmpty()) {
                return new Batch(requests, true);
            }
            Request first = waiting.element();
            long cost = 0;
            for (Request next : waiting) {
                cost += cost(next);
                boolean fits = cost <= LimitScripts.MAX_COST && (!isTest || next.testMicros() == first.testMicros());
                if (requests.size() == MAX_REQUESTS || (next != first && !fits)) {
                    break;
                }
                requests.add(next);
            }
            return new Batch(requests, false);
        }

        private static long cost(Request request) {
            return request.scripts().cost(request.permits());
        }
    }

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

    /** The requests of one script. */
    private final class Batch {
        private record GroupKey(LimitScripts scripts, String key) {}

        private final List<Request> requests;
        private final boolean isLate;
        private final List<Group> groups;
        private byte @Nullable [] reply;
        /** Guarded by the lane. */
        private boolean isReplied;

        private @Nullable Batch failedBefore;

        private final AtomicBoolean isDelivered = new AtomicBoolean();
        /** How many requests have the reply. */
        private int delivered;

        Batch(List<Request> requests, boolean isLate) {
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
         * @param late how many others have waited for it too long
         */
        void send(IntSupplier late, Consumer<Batch> then) {
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
            byte[][] args = isTest
                    ? new byte[][] {arguments, ScriptCalls.packedTime(first.testMicros())}
                    : new byte[][] {arguments};
            Script script = first.scripts().decide();
            IntSupplier unanswered = () -> requests.size() + late.getAsInt();
            boolean sent = connection.run(script, keys.toArray(String[]::new), args, unanswered, bytesOfReply -> {
                if (bytesOfReply != null) { // else it may be an error after the reply
                    reply = checked(bytesOfReply);
                }
                then.accept(this);
            });
            if (sent) {
                counters.asked.add(requests.size());
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

        /** Passes the reply on to each request, once. What one of them throws keeps nothing from the others. */
        void deliver() {
            if (isDelivered.compareAndSet(false, true)) {
                try {
                    deliverRest();
                } catch (Error e) {
                    ELSEWHERE.execute(this::deliverInSpiteOfErrors);
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
}
