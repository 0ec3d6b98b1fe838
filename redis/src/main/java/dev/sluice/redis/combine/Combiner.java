package dev.sluice.redis.combine;

import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
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
 * <p>On an event loop that has a connection of its own, more than that shares a script: see {@link Gathering}. The requests of
 * a loop get their replies on it.
 *
 * <p>Only requests for the same script can go together; on a cluster, where a script uses one slot, only those for the same
 * key. Two limiters of one name do not hold permits of a key in the same script: each knows only its own holds, and could not
 * tell those of the other from them, which were taken at the same instant. As many requests as fit a script do not wait for a reply: else a distant Redis would bound the number of decisions.
 */
public final class Combiner {
    /** A request that a script decides. */
    public interface Request {
        LimitScripts scripts();

        /** The limiter's key. Requests for the same one with the same scripts are for the same keys of Redis. */
        String key();

        /** The keys of Redis for its limits. */
        String[] keyNames();

        Operation operation();

        long permits();

        long maxDelay();

        int percent();

        /** When it was asked, by {@link System#nanoTime}. */
        long askedAtNanos();

        /** How many callers wait for it. */
        int callers();

        /** The time in tests, where it is not the server's. */
        long testMicros();

        /** Gets the script's reply, or null if there is none; once. */
        void decided(@Nullable ScriptReply reply);

        /** Gets a reply that came after {@link #decided} was told that there is none. */
        default void decidedLate(ScriptReply reply) {}
    }

    private static final System.Logger LOG = System.getLogger(Combiner.class.getName());

    /** Does what is left to do when an {@link Error}, such as that a stack is used up, ends the work of a thread. */
    static final Executor ELSEWHERE = ForkJoinPool.commonPool();

    private static final long MAX_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The most requests in one script. */
    public static final int MAX_REQUESTS = 64;

    /**
     * While so many scripts are under way, requests wait for a reply. With more, requests would overtake each other: a
     * client writes at once on its own thread, and later on others.
     */
    private static final int MAX_UNDER_WAY = 1;

    /**
     * Requests that may go together: all of one script, or on a cluster those for the same first key. Those of an event loop
     * that has a connection of its own go by themselves, and so does what is asked on all other threads.
     */
    private record LaneKey(
            Script script, String key, @Nullable Executor eventLoop) {}

    private final ResilientConnection connection;
    private final CombinedRequests.Transport transport;
    /** Less than the timeout by what it may take to notice that a call is overdue. */
    private final long maxGatheredNanos;

    private final boolean isTest;
    private final ConcurrentHashMap<LaneKey, Lane> lanes = new ConcurrentHashMap<>();
    private final DamagedStates damagedStates = new DamagedStates();

    /**
     * Requests older than {@code timeout}, less a margin, are not sent any more.
     *
     * @param sent counts the requests that were sent
     * @param isTest whether the requests have the time of a test
     */
    public Combiner(ResilientConnection connection, LongAdder sent, Duration timeout, boolean isTest) {
        this.connection = connection;
        this.transport = new CombinedRequests.Transport(connection, sent, isTest);
        this.maxGatheredNanos = timeout.toNanos() - Math.min(timeout.toNanos() / 5, MAX_MARGIN_NANOS);
        this.isTest = isTest;
    }

    public DamagedStates damagedStates() {
        return damagedStates;
    }

    /** Sends the request, at once or with others. */
    public void ask(Request request) {
        boolean oneMaster = connection.isOneMaster();
        LaneKey key =
                new LaneKey(request.scripts().decide(), oneMaster ? "" : request.keyNames()[0], connection.eventLoop());
        lanes.computeIfAbsent(key, Lane::new).ask(request);
    }

    /** Sends the request by itself. */
    public void askAlone(Request request) {
        if (isLate(request.askedAtNanos())) {
            request.decided(null);
        } else {
            new CombinedRequests(List.of(request), false).send(transport, () -> 0, CombinedRequests::deliver);
        }
    }

    /** Whether a request of that instant has waited so long that it would not end within twice the timeout. */
    public boolean isLate(long askedAtNanos) {
        return System.nanoTime() - askedAtNanos > maxGatheredNanos;
    }

    private boolean isLate(Request request, long now) {
        return now - request.askedAtNanos() > maxGatheredNanos;
    }

    private final class Lane {
        private final LaneKey key;
        private final ArrayDeque<Request> waiting = new ArrayDeque<>();
        /** Those whose reply came on the thread that sends, while it was sending. */
        private final ArrayDeque<CombinedRequests> answered = new ArrayDeque<>();

        private final Gathering gathering = new Gathering();
        /** Whether the event loop will look in its next turn. */
        private boolean gathers;

        private int underWay;
        /** The thread that sends: one at a time, so that requests go in their order. */
        private @Nullable Thread sender;
        /** The last requests that met an error while they were sent; whoever comes next ends them without a reply. */
        private @Nullable CombinedRequests failed;

        Lane(LaneKey key) {
            this.key = key;
        }

        void ask(Request request) {
            synchronized (this) {
                waiting.add(request);
                boolean isWaitedFor = gathers && waiting.size() < MAX_REQUESTS;
                if (isWaitedFor || (!maySend() && failed == null && answered.isEmpty())) {
                    return; // the event loop sends it, or the thread that sends now, or that gets the next reply
                }
            }
            sendSoon();
        }

        /** Sends what may be sent: at once, or on an event loop when it has read what has arrived. */
        private void sendSoon() {
            Executor loop = key.eventLoop;
            if (loop == null) {
                sendGathered();
                return;
            }
            boolean isFull;
            synchronized (this) {
                isFull = waiting.size() >= MAX_REQUESTS;
                if (gathers && !isFull) {
                    return;
                }
                gathers |= !isFull;
            }
            if (isFull) {
                sendGathered();
            } else {
                runOn(loop, this::gather);
            }
        }

        private void gather() {
            Executor loop = key.eventLoop;
            Gathering.Step step;
            synchronized (this) {
                step = maySend() ? gathering.next(waiting.size()) : Gathering.Step.SEND;
                gathers = step != Gathering.Step.SEND;
                if (!gathers) {
                    gathering.end();
                }
            }
            if (step == Gathering.Step.YIELD) {
                letOthersRun();
            }
            if (step == Gathering.Step.SEND || loop == null) {
                sendGathered();
            } else {
                runOn(loop, this::gather);
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // it makes batches larger, and nothing relies on it
        private static void letOthersRun() {
            Thread.yield();
        }

        private void runOn(Executor loop, Runnable task) {
            try {
                loop.execute(task);
            } catch (RejectedExecutionException e) { // it has been shut down
                task.run();
            }
        }

        /** Whether the caller may send some of those that wait; guarded by this. */
        private boolean maySend() {
            return sender == null && (underWay < MAX_UNDER_WAY || waiting.size() >= MAX_REQUESTS);
        }

        /** Sends what may be sent. A reply that comes meanwhile on this thread is delivered afterwards, so none recurses. */
        private void sendGathered() {
            try {
                sendAndDeliver();
            } catch (Error e) {
                ELSEWHERE.execute(this::sendAndDeliver); // what others wait for
                throw e;
            }
        }

        /** Where sending ends with an error, no method is called to note it: there may be no stack left for one. */
        private void sendAndDeliver() {
            for (CombinedRequests combined = nextFailed(); combined != null; combined = nextFailed()) {
                replied(combined);
            }
            for (CombinedRequests combined = begin(); combined != null; combined = begin()) {
                boolean isSent = false;
                try {
                    send(combined);
                    isSent = true;
                } finally {
                    synchronized (this) {
                        sender = null;
                        if (!isSent) {
                            combined.failedBefore = failed;
                            failed = combined;
                        }
                    }
                }
            }
            for (CombinedRequests combined = nextAnswered(); combined != null; combined = nextAnswered()) {
                combined.deliver();
            }
        }

        private void send(CombinedRequests combined) {
            try {
                if (combined.isLate) {
                    replied(combined);
                } else {
                    combined.send(transport, this::late, this::replied);
                }
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a script could not be sent", e);
                replied(combined);
            }
        }

        /** How many callers have waited too long for the script that is under way. */
        private synchronized int late() {
            long now = System.nanoTime();
            return waiting.stream()
                    .takeWhile(each -> isLate(each, now))
                    .mapToInt(Request::callers)
                    .sum();
        }

        private synchronized @Nullable CombinedRequests nextFailed() {
            CombinedRequests next = failed;
            failed = next == null ? null : next.failedBefore;
            return next;
        }

        /** The next requests, which the caller sends; null if there are none, or another thread sends them. */
        private synchronized @Nullable CombinedRequests begin() {
            if (waiting.isEmpty() || !maySend()) {
                return null;
            }
            Thread self = Thread.currentThread();
            CombinedRequests next = next();
            for (int i = next.requests.size(); i > 0; i--) {
                waiting.remove();
            }
            underWay++;
            sender = self;
            return next;
        }

        private synchronized @Nullable CombinedRequests nextAnswered() {
            boolean isIdle = underWay == 0 && waiting.isEmpty() && answered.isEmpty();
            if (isIdle && !key.key.isEmpty()) {
                lanes.remove(key, this); // whoever has found it already can still use it
            }
            return answered.poll();
        }

        private void replied(CombinedRequests combined) {
            boolean whileSending;
            synchronized (this) {
                if (combined.isReplied) {
                    return; // an error came after the reply
                }
                whileSending = sender == Thread.currentThread();
                if (whileSending) {
                    answered.add(combined);
                }
                underWay--;
                combined.isReplied = true;
            }
            Executor loop = key.eventLoop;
            if (whileSending) {
                return;
            }
            if (loop == null || loop == connection.eventLoop()) {
                goOn(combined);
            } else {
                runOn(loop, () -> goOn(combined)); // a call that is overdue ends on another thread
            }
        }

        private void goOn(CombinedRequests combined) {
            try {
                sendSoon(); // first: a caller's continuation may take long
            } finally {
                combined.deliver();
            }
        }

        /** The requests to send next, or those that have waited too long. They are still waiting. */
        private CombinedRequests next() {
            List<Request> requests = new ArrayList<>(Math.min(waiting.size(), MAX_REQUESTS));
            long now = System.nanoTime();
            for (Request each : waiting) {
                if (!isLate(each, now)) {
                    break;
                }
                requests.add(each);
            }
            if (!requests.isEmpty()) {
                return new CombinedRequests(requests, true);
            }
            Request first = waiting.element();
            long cost = 0;
            Map<String, LimitScripts> holding = new HashMap<>();
            for (Request next : waiting) {
                cost += cost(next);
                boolean fits = cost <= LimitScripts.MAX_COST && (!isTest || next.testMicros() == first.testMicros());
                if (requests.size() == MAX_REQUESTS || (next != first && !fits) || isOfAnother(next, holding)) {
                    break;
                }
                requests.add(next);
            }
            return new CombinedRequests(requests, false);
        }

        /** Whether it holds permits of a key that another limiter's request is to hold some of. */
        private static boolean isOfAnother(Request request, Map<String, LimitScripts> holding) {
            LimitScripts scripts = request.scripts();
            return scripts.holds()
                    && !scripts.equals(
                            Objects.requireNonNullElse(holding.putIfAbsent(request.keyNames()[0], scripts), scripts));
        }

        private static long cost(Request request) {
            return request.scripts().cost(request.permits());
        }
    }
}
