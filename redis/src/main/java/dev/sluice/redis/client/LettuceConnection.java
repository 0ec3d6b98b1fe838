package dev.sluice.redis.client;

import dev.sluice.redis.script.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Redis through Lettuce: no thread waits; all calls share one connection, or one for each node of a cluster, or each event
 * loop of the application has one of its own.
 *
 * <p>Commands bring their own codec, so that of the connection does not matter.
 */
class LettuceConnection implements RedisConnection {
    private static final StringCodec CODEC = StringCodec.UTF8;

    /** The connection on an event loop of the application. */
    record OnLoop(ApplicationLoop loop, BaseRedisAsyncCommands<String, String> commands) {}

    private final BaseRedisAsyncCommands<String, String> shared;
    private final Map<Thread, OnLoop> onLoops;
    private final String name;
    private final AtomicInteger inFlight;
    private final Runnable close;
    private volatile boolean oneMaster;
    private volatile boolean answered;

    /**
     * Uses the commands of a connection.
     *
     * @param name what the server is called
     * @param inFlight counts the scripts without a reply
     * @param close closes what was opened for it
     */
    LettuceConnection(
            BaseRedisAsyncCommands<String, String> commands, String name, AtomicInteger inFlight, Runnable close) {
        this(commands, Map.of(), name, inFlight, close);
    }

    /**
     * The same with connections on event loops, by their threads.
     *
     * @param shared those of them that all other threads use
     */
    LettuceConnection(
            BaseRedisAsyncCommands<String, String> shared,
            Map<Thread, OnLoop> onLoops,
            String name,
            AtomicInteger inFlight,
            Runnable close) {
        this.shared = shared;
        this.onLoops = Map.copyOf(onLoops);
        this.name = name;
        this.inFlight = inFlight;
        this.close = close;
    }

    private @Nullable OnLoop onLoop() {
        return onLoops.isEmpty() ? null : onLoops.get(Thread.currentThread());
    }

    private BaseRedisAsyncCommands<String, String> commands() {
        OnLoop own = onLoop();
        return own == null ? shared : own.commands;
    }

    @Override
    public @Nullable Executor eventLoop() {
        OnLoop own = onLoop();
        return own == null ? null : own.loop;
    }

    @Override
    public void run(
            Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        RedisFuture<byte[]> sent = send(CommandType.EVALSHA, script.sha(), keys, args);
        inFlight.incrementAndGet();
        sent.whenComplete((bytes, failure) -> {
            inFlight.decrementAndGet();
            if (failure == null) {
                reply.accept(bytes, null);
            } else if (cause(failure) instanceof RedisNoScriptException) {
                sendText(script, keys, args, reply);
            } else {
                reply.accept(null, learned(failure));
            }
        });
    }

    /** The server was flushed, replaced or has just joined. */
    private void sendText(
            Script script, String[] keys, byte[][] args, BiConsumer<byte @Nullable [], @Nullable Throwable> reply) {
        try {
            send(CommandType.EVAL, script.text(), keys, args)
                    .whenComplete((bytes, failure) ->
                            reply.accept(failure == null ? bytes : null, failure == null ? null : learned(failure)));
        } catch (RuntimeException e) {
            reply.accept(null, e);
        }
    }

    private RedisFuture<byte[]> send(CommandType command, String script, String[] keys, byte[][] args) {
        CommandArgs<String, String> arguments = arguments().add(script).add(keys.length);
        for (String key : keys) {
            arguments.addKey(key);
        }
        for (byte[] arg : args) {
            arguments.add(arg);
        }
        return commands().dispatch(command, new Bytes(), arguments);
    }

    static CommandArgs<String, String> arguments() {
        return new CommandArgs<>(CODEC);
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? failure : cause;
    }

    /** The failure in terms of this package; it may say that there are slots at the other end. */
    private Throwable learned(Throwable failure) {
        Throwable cause = cause(failure);
        if (!(cause instanceof RedisCommandExecutionException)) {
            return cause;
        }
        ErrorReply reply = new ErrorReply(String.valueOf(cause.getMessage()));
        if (Failure.tellsOfSlots(reply)) {
            oneMaster = false;
        }
        return reply;
    }

    /** Asks the server what it is, and remembers that; unknown if it does not say. */
    CompletionStage<ServerMode> askMode() {
        return shared.dispatch(CommandType.HELLO, new Texts(), arguments()).handle((texts, failure) -> {
            ServerMode mode = failure == null ? ServerMode.of(texts) : ServerMode.UNKNOWN;
            boolean answered = failure == null || cause(failure) instanceof RedisCommandExecutionException;
            this.answered = answered;
            oneMaster = mode == ServerMode.ONE_MASTER || (mode == ServerMode.UNKNOWN && answered);
            return mode;
        });
    }

    @Override
    public boolean isOneMaster() {
        return oneMaster;
    }

    @Override
    public boolean hasAnswered() {
        return answered;
    }

    @Override
    public String masterOf(String key) {
        return name;
    }

    @Override
    public Set<String> masters() {
        return Set.of(name);
    }

    @Override
    public CompletionStage<?> delete(String[] keys) {
        CommandArgs<String, String> arguments = arguments();
        for (String key : keys) {
            arguments.addKey(key);
        }
        CompletableFuture<Long> deleted = new CompletableFuture<>();
        commands()
                .dispatch(CommandType.DEL, new IntegerOutput<>(CODEC), arguments)
                .whenComplete((count, failure) -> {
                    if (failure == null) {
                        deleted.complete(count);
                    } else {
                        deleted.completeExceptionally(learned(failure));
                    }
                });
        return deleted;
    }

    /** On every connection: one of them may be dead while the others are well. */
    @Override
    public CompletionStage<?> ping(String master) {
        return onLoops.isEmpty()
                ? ping(shared)
                : CompletableFuture.allOf(onLoops.values().stream()
                        .map(each -> ping(each.commands).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new));
    }

    private static CompletionStage<String> ping(BaseRedisAsyncCommands<String, String> commands) {
        return commands.dispatch(CommandType.PING, new StatusOutput<>(CODEC), arguments());
    }

    @Override
    public void refresh() {
        // one server: there is nobody to ask
    }

    @Override
    public void close() {
        close.run();
    }

    /** A reply as raw bytes. Whatever is not bytes becomes an error. */
    private static final class Bytes extends CommandOutput<String, String, byte[]> {
        Bytes() {
            super(CODEC, new byte[0]);
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            if (bytes == null) {
                setError(ErrorReply.notBytes("nothing"));
            } else {
                output = new byte[bytes.remaining()];
                bytes.get(output);
            }
        }

        @Override
        public void set(long integer) {
            setError(ErrorReply.notBytes("a number"));
        }

        @Override
        public void set(double number) {
            setError(ErrorReply.notBytes("a number"));
        }

        @Override
        public void set(boolean value) {
            setError(ErrorReply.notBytes("true or false"));
        }

        @Override
        public void multi(int count) {
            setError(ErrorReply.notBytes("a list"));
        }
    }

    /** All texts and numbers of a reply, however they are nested. */
    private static final class Texts extends CommandOutput<String, String, List<String>> {
        Texts() {
            super(CODEC, new ArrayList<>());
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            output.add(bytes == null ? "" : decodeString(bytes));
        }

        @Override
        public void set(long integer) {
            output.add(Long.toString(integer));
        }
    }
}
