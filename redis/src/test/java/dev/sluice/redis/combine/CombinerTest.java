package dev.sluice.redis.combine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.redis.client.RedisConnection;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import dev.sluice.redis.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When requests are sent, and with which others; Redis is a test that replies when it likes. */
@Timeout(60)
class CombinerTest {
    private static final LimitScripts SCRIPTS =
            LimitScripts.of(List.of(Limit.fixedWindow(1000, ofMinutes(1))), Script.file("server-time"), 0, 0);
    private static final int MAX_IN_FLIGHT = 10_000;
    private static final int RECORD = ScriptReply.bytes(SCRIPTS);

    /** A script that was sent. */
    private record Sent(List<String> keys, int bytes, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        /** Replies to {@code requests} that they are admitted. */
        void admit(int requests) {
            byte[] replies = new byte[requests * RECORD];
            for (int i = 0; i < requests; i++) {
                replies[i * RECORD] = 1;
            }
            reply.accept(replies, null);
        }
    }

    private static class FakeRedis implements RedisConnection {
        final List<Sent> sent = new CopyOnWriteArrayList<>();
        private boolean oneMaster = true;
        private final Thread test = Thread.currentThread();
        /** That of the thread of the test. */
        private volatile @Nullable Executor eventLoop;

        @Override
        public @Nullable Executor eventLoop() {
            return Thread.currentThread() == test ? eventLoop : null;
        }

        @Override
        public void run(
                Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
            sent.add(new Sent(List.of(keys), args[0].length, reply));
        }

        @Override
        public boolean hasAnswered() {
            return true;
        }

        @Override
        public boolean isOneMaster() {
            return oneMaster;
        }

        @Override
        public CompletionStage<?> delete(String[] keys) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public String masterOf(String key) {
            return "one";
        }

        @Override
        public Set<String> masters() {
            return Set.of("one");
        }

        @Override
        public CompletionStage<?> ping(String master) {
            return new CompletableFuture<>();
        }

        @Override
        public void refresh() {}

        @Override
        public void close() {}
    }

    /** One request, and its reply. */
    private static class Asked extends CompletableFuture<@Nullable ScriptReply> implements Combiner.Request {
        private final String key;
        private final Operation operation;
        private final long askedAtNanos = System.nanoTime();

        Asked(String key, Operation operation) {
            this.key = key;
            this.operation = operation;
        }

        @Override
        public LimitScripts scripts() {
            return SCRIPTS;
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public String[] keyNames() {
            return new String[] {key};
        }

        @Override
        public Operation operation() {
            return operation;
        }

        @Override
        public long permits() {
            return 1;
        }

        @Override
        public long maxDelay() {
            return LimitScripts.ANY_DELAY;
        }

        @Override
        public int percent() {
            return 100;
        }

        @Override
        public long askedAtNanos() {
            return askedAtNanos;
        }

        @Override
        public int callers() {
            return 1;
        }

        @Override
        public long testMicros() {
            return 0;
        }

        @Override
        public void decided(@Nullable ScriptReply reply) {
            complete(reply);
        }
    }

    /** An event loop that runs when the test says. */
    private static final class FakeLoop implements Executor {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private boolean isShutDown;

        @Override
        public void execute(Runnable task) {
            if (isShutDown) {
                throw new RejectedExecutionException("shut down");
            }
            tasks.add(task);
        }

        void turn() {
            for (int i = tasks.size(); i > 0; i--) {
                tasks.remove().run();
            }
        }

        /** Turns until nothing is left to do; says how often. */
        int turns() {
            int turns = 0;
            for (; !tasks.isEmpty(); turns++) {
                turn();
            }
            return turns;
        }
    }

    private final FakeRedis redis = new FakeRedis();
    private ResilientConnection connection = new ResilientConnection(patience -> redis, ofSeconds(20), MAX_IN_FLIGHT);
    private Combiner combiner = new Combiner(connection, new LongAdder(), ofSeconds(20), false);

    private void withTimeout(Duration timeout) {
        connection.close();
        connection = new ResilientConnection(patience -> redis, timeout, MAX_IN_FLIGHT);
        combiner = new Combiner(connection, new LongAdder(), timeout, false);
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private Asked ask(String key) {
        return ask(key, Operation.TAKE);
    }

    private Asked ask(String key, Operation operation) {
        Asked asked = new Asked(key, operation);
        combiner.ask(asked);
        return asked;
    }

    /** Asks until requests have to wait. */
    private List<Asked> occupy() {
        List<Asked> all = new ArrayList<>();
        while (redis.sent.size() == all.size()) {
            all.add(ask("busy"));
        }
        return all;
    }

    @Test
    void aLoneRequestIsSentAtOnce() {
        Asked lone = ask("a");
        assertThat(redis.sent).hasSize(1);
        assertThat(lone).isNotDone();
        redis.sent.get(0).admit(1);
        assertThat(lone.join()).isNotNull();
    }

    @Test
    void whatIsAskedMeanwhileGoesTogetherWhenAReplyComes() {
        List<Asked> first = occupy();
        int before = redis.sent.size();
        Asked a = ask("a");
        Asked b = ask("b");
        Asked a2 = ask("a");
        Asked look = ask("a", Operation.PEEK);
        assertThat(redis.sent).hasSize(before);
        redis.sent.get(0).admit(1);
        assertThat(first.get(0)).isDone();
        assertThat(redis.sent).hasSize(before + 1);
        Sent together = redis.sent.get(before);
        assertThat(together.keys()).containsExactly("busy", "a", "b", "a");
        together.admit(5);
        assertThat(List.of(a, b, a2, look)).allMatch(each -> each.join() != null);
    }

    @Test
    void aFullBatchDoesNotWait() {
        int before = occupy().size() - 1;
        for (int i = 1; i < 3 * Combiner.MAX_REQUESTS; i++) {
            ask("k" + i);
        }
        assertThat(redis.sent).hasSize(before + 3);
        assertThat(redis.sent.get(before).keys()).hasSize(Combiner.MAX_REQUESTS).startsWith("busy", "k1", "k2");
        assertThat(redis.sent.get(before + 1).keys()).startsWith("k64", "k65");
    }

    @Test
    void onAClusterOnlyRequestsForOneKeyGoTogether() {
        redis.oneMaster = false;
        int before = occupy().size();
        ask("busy");
        ask("other");
        assertThat(redis.sent).hasSize(before);
        redis.sent.get(0).admit(1);
        assertThat(redis.sent).hasSize(before + 1);
        assertThat(redis.sent).allMatch(sent -> sent.keys().size() == 1);
    }

    @Test
    void aContinuationThatTakesLongDelaysNobody() throws Exception {
        List<Asked> first = occupy();
        CountDownLatch release = new CountDownLatch(1);
        first.get(0).thenRun(() -> await(release));
        int before = redis.sent.size();
        Thread replying = new Thread(() -> redis.sent.get(0).admit(1));
        replying.start();
        Eventually.holds("the next batch is sent", ofSeconds(20), () -> redis.sent.size() == before + 1);
        release.countDown();
        replying.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void repliesDuringTheCallDoNotRecurse() {
        FakeRedis sync = new FakeRedis() {
            @Override
            public void run(
                    Script script,
                    String[] keys,
                    byte[][] args,
                    BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
                byte[] one = new byte[RECORD];
                one[0] = 1;
                reply.accept(one, null);
            }
        };
        try (ResilientConnection direct = new ResilientConnection(patience -> sync, ofSeconds(20), MAX_IN_FLIGHT)) {
            Combiner own = new Combiner(direct, new LongAdder(), ofSeconds(20), false);
            AtomicInteger done = new AtomicInteger();
            for (int i = 0; i < 100_000; i++) {
                Asked asked = new Asked("k", Operation.TAKE);
                own.ask(asked);
                asked.thenRun(done::incrementAndGet);
            }
            assertThat(done).hasValue(100_000);
        }
    }

    @Test
    void aConnectionThatBreaksDuringACallFailsTheCallsBeforeItToo() {
        FakeRedis breaking = new FakeRedis() {
            @Override
            public void run(
                    Script script,
                    String[] keys,
                    byte[][] args,
                    BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
                super.run(script, keys, args, reply);
                if (super.sent.size() == 2) {
                    super.sent.forEach(each -> each.reply().accept(null, new IllegalStateException("broken")));
                }
            }
        };
        try (ResilientConnection broken = new ResilientConnection(patience -> breaking, ofSeconds(20), MAX_IN_FLIGHT)) {
            Combiner own = new Combiner(broken, new LongAdder(), ofSeconds(20), false);
            List<Asked> all = new ArrayList<>();
            for (int i = 0; i <= Combiner.MAX_REQUESTS; i++) {
                Asked asked = new Asked("k", Operation.TAKE);
                own.ask(asked);
                all.add(asked);
            }
            assertThat(breaking.sent).hasSize(2);
            assertThat(all).allMatch(each -> each.isDone() && each.join() == null);
        }
    }

    /** A busy caller of a silent server would else need three timeouts to notice. */
    @Test
    void requestsThatWaitedTooLongForACallFailWithIt() {
        FakeRedis silent = new FakeRedis();
        try (ResilientConnection own = new ResilientConnection(patience -> silent, ofSeconds(1), MAX_IN_FLIGHT)) {
            Combiner combiner = new Combiner(own, new LongAdder(), ofMillis(50), false);
            List<Asked> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Asked asked = new Asked("k", Operation.TAKE);
                combiner.ask(asked);
                all.add(asked);
            }
            all.forEach(each -> assertThat(each.join()).isNull());
            assertThat(silent.sent).hasSize(1);
            assertThat(own.counters().timesOpened()).isEqualTo(1);
        }
    }

    /** As where the stack of one caller is used up. */
    @Test
    void anErrorWhileSendingIsNoReplyAndTheNextRequestIsSent() {
        FakeRedis failing = new FakeRedis() {
            @Override
            public void run(
                    Script script,
                    String[] keys,
                    byte[][] args,
                    BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
                if (keys[0].equals("deep")) {
                    throw new StackOverflowError();
                }
                super.run(script, keys, args, reply);
            }
        };
        try (ResilientConnection own = new ResilientConnection(patience -> failing, ofSeconds(20), MAX_IN_FLIGHT)) {
            Combiner combiner = new Combiner(own, new LongAdder(), ofSeconds(20), false);
            Asked deep = new Asked("deep", Operation.TAKE);
            combiner.ask(deep);
            assertThat(deep).isCompletedWithValue(null);
            combiner.ask(new Asked("a", Operation.TAKE));
            assertThat(failing.sent).hasSize(1);
            assertThat(own.counters().underWay()).isEqualTo(1);
        }
    }

    @Test
    void anErrorWhileABatchIsPutTogetherStopsNobody() {
        AtomicBoolean isDeep = new AtomicBoolean(true);
        Asked deep = new Asked("deep", Operation.TAKE) {
            @Override
            public String[] keyNames() {
                if (isDeep.getAndSet(false)) {
                    throw new StackOverflowError();
                }
                return super.keyNames();
            }
        };
        assertThatThrownBy(() -> combiner.ask(deep)).isInstanceOf(StackOverflowError.class);
        Asked next = ask("a");
        Eventually.holds("both are answered", ofSeconds(20), () -> {
            redis.sent.forEach(each -> each.admit(each.keys().size()));
            return deep.isDone() && next.isDone();
        });
    }

    @Test
    void anErrorOfOneRequestKeepsNoReplyFromTheOthers() {
        occupy();
        AtomicBoolean isDeep = new AtomicBoolean(true);
        Asked deep = new Asked("deep", Operation.TAKE) {
            @Override
            public void decided(@Nullable ScriptReply reply) {
                if (isDeep.getAndSet(false)) {
                    throw new StackOverflowError();
                }
                super.decided(reply);
            }
        };
        combiner.ask(deep);
        Asked other = ask("other");
        redis.sent.get(0).admit(1);
        redis.sent.get(1).admit(3);
        Eventually.holds("both are answered", ofSeconds(20), () -> deep.isDone() && other.isDone());
        assertThat(other.join()).isNotNull();
        int before = redis.sent.size();
        ask("a");
        ask("b");
        assertThat(redis.sent).as("one script at a time").hasSize(before + 1);
    }

    @Test
    void whatFailsWhileAFailureIsHandledKeepsNobodyWaiting() {
        AtomicBoolean isMoving = new AtomicBoolean();
        FakeRedis moving = new FakeRedis() {
            @Override
            public void refresh() {
                throw new ConcurrentModificationException();
            }

            @Override
            public String masterOf(String key) {
                if (isMoving.get()) {
                    throw new ConcurrentModificationException();
                }
                return super.masterOf(key);
            }
        };
        try (ResilientConnection own = new ResilientConnection(patience -> moving, ofSeconds(20), MAX_IN_FLIGHT)) {
            Combiner combiner = new Combiner(own, new LongAdder(), ofSeconds(20), false);
            Asked failed = new Asked("a", Operation.TAKE);
            combiner.ask(failed);
            moving.sent.get(0).reply().accept(null, new IllegalStateException("broken"));
            assertThat(failed).isCompletedWithValue(null);
            isMoving.set(true);
            Asked unsent = new Asked("b", Operation.TAKE);
            combiner.ask(unsent);
            assertThat(unsent).isCompletedWithValue(null);
            assertThat(own.counters().underWay()).isZero();
        }
    }

    @Test
    void aReplyOfAnotherLengthIsNoneAndTheConnectionIsNotTrustedAnyMore() {
        Asked nonsense = ask("a");
        redis.sent.get(0).reply().accept(new byte[] {1, 2, 3}, null);
        assertThat(nonsense).isCompletedWithValue(null);
        assertThat(ask("a")).isCompletedWithValue(null);
        assertThat(redis.sent).hasSize(1);
    }

    @Test
    void withoutAReplyEveryRequestEndsWithinTwiceTheTimeout() {
        withTimeout(ofMillis(200));
        List<Asked> all = occupy();
        for (int i = 0; i < 20; i++) {
            all.add(ask("k" + i));
        }
        long start = System.nanoTime();
        assertThat(all).allMatch(each -> each.join() == null);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofMillis(2 * 200 + 2000));
    }

    @Test
    void whatHasWaitedForATimeoutIsNotSentAnyMore() throws Exception {
        withTimeout(ofMillis(300));
        occupy();
        Sent slow = redis.sent.get(redis.sent.size() - 1);
        int before = redis.sent.size();
        Combiner late = new Combiner(connection, new LongAdder(), ofMillis(1), false);
        List<Asked> asked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Asked each = new Asked("late", Operation.TAKE);
            late.ask(each);
            asked.add(each);
        }
        List<Sent> atOnce = redis.sent.subList(before, redis.sent.size());
        TimeUnit.MILLISECONDS.sleep(10);
        int sent = atOnce.size();
        redis.sent.get(before).admit(1);
        assertThat(redis.sent).hasSize(before + sent);
        assertThat(asked.get(4)).isCompletedWithValue(null);
        slow.admit(1);
    }

    // ---- On event loops

    private FakeLoop onLoop() {
        FakeLoop loop = new FakeLoop();
        redis.eventLoop = loop;
        return loop;
    }

    @Test
    void onAnEventLoopALoneRequestIsSentAsSoonAsNoOtherHasArrived() {
        FakeLoop loop = onLoop();
        Asked lone = ask("a");
        assertThat(redis.sent).isEmpty();
        assertThat(loop.turns()).isEqualTo(2);
        assertThat(redis.sent).hasSize(1);
        redis.sent.get(0).admit(1);
        assertThat(lone.join()).isNotNull();
        assertThat(loop.turns()).as("nothing more to send").isLessThanOrEqualTo(1);
        assertThat(redis.sent).hasSize(1);
    }

    @Test
    void whatAnEventLoopReadsInOneTurnAndTheNextGoesTogether() {
        FakeLoop loop = onLoop();
        List<Asked> all = new ArrayList<>(List.of(ask("a"), ask("b")));
        loop.turn();
        all.add(ask("c"));
        loop.turns();
        assertThat(redis.sent).hasSize(1);
        assertThat(redis.sent.get(0).keys()).containsExactly("a", "b", "c");
        redis.sent.get(0).admit(3);
        assertThat(all).allMatch(each -> each.join() != null);
    }

    @Test
    void onAnEventLoopTheNextScriptFollowsTheReply() {
        FakeLoop loop = onLoop();
        ask("a");
        loop.turns();
        Asked b = ask("b");
        Asked c = ask("c");
        loop.turns();
        assertThat(redis.sent).as("one script at a time").hasSize(1);
        redis.sent.get(0).admit(1);
        loop.turns();
        assertThat(redis.sent).hasSize(2);
        redis.sent.get(1).admit(2);
        assertThat(List.of(b, c)).allMatch(each -> each.join() != null);
    }

    @Test
    void onAnEventLoopAFullBatchWaitsForNoTurn() {
        FakeLoop loop = onLoop();
        for (int i = 0; i < Combiner.MAX_REQUESTS + 1; i++) {
            ask("k" + i);
        }
        assertThat(redis.sent).hasSize(1);
        assertThat(redis.sent.get(0).keys()).hasSize(Combiner.MAX_REQUESTS).startsWith("k0", "k1");
        redis.sent.get(0).admit(Combiner.MAX_REQUESTS);
        loop.turns();
        assertThat(redis.sent).hasSize(2);
    }

    @Test
    void aFailureThatAnotherThreadNoticesEndsTheRequestsOnTheirEventLoop() throws Exception {
        FakeLoop loop = onLoop();
        List<Asked> all = List.of(ask("a"), ask("b"), ask("c"));
        loop.turns();
        Thread other = new Thread(() -> redis.sent.get(0).reply().accept(null, new IllegalStateException("broken")));
        other.start();
        other.join();
        assertThat(all).noneMatch(CompletableFuture::isDone);
        loop.turns();
        assertThat(all).allMatch(each -> each.isDone() && each.join() == null);
    }

    @Test
    void anEventLoopThatIsShutDownKeepsNobodyWaiting() throws Exception {
        FakeLoop loop = onLoop();
        Asked sent = ask("a");
        loop.turns();
        loop.isShutDown = true;
        Asked waits = ask("b");
        Thread other = new Thread(() -> redis.sent.get(0).admit(1));
        other.start();
        other.join();
        assertThat(sent.join()).isNotNull();
        redis.sent.get(1).admit(1);
        assertThat(waits.join()).isNotNull();
    }

    @Test
    void eventLoopsAndOtherThreadsDoNotWaitForEachOther() {
        FakeLoop one = onLoop();
        ask("a");
        one.turns();
        FakeLoop other = onLoop();
        ask("b");
        other.turns();
        redis.eventLoop = null;
        ask("c");
        assertThat(redis.sent).hasSize(3);
    }

    @Test
    void onAnEventLoopEveryRequestEndsWithinTwiceTheTimeout() {
        withTimeout(ofMillis(200));
        FakeLoop loop = onLoop();
        List<Asked> all = new ArrayList<>(List.of(ask("a")));
        loop.turns();
        all.add(ask("b"));
        long start = System.nanoTime();
        Eventually.holds("all end", ofSeconds(20), () -> {
            loop.turns();
            return all.stream().allMatch(CompletableFuture::isDone);
        });
        assertThat(all).allMatch(each -> each.join() == null);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofMillis(2 * 200 + 2000));
    }
}
