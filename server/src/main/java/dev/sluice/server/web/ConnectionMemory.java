package dev.sluice.server.web;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory that clients make the server keep without sending a body: of one connection, and of all together. All
 * ports share one.
 *
 * <p>A client can send requests and read nothing, so that the server keeps the responses that the socket does not take. It
 * can open streams of HTTP/2 and leave no window to respond in, so that the server keeps the streams. And over HTTP/1.1 it
 * can send requests behind one that is not answered yet, so that the server keeps those, decoded. A connection counts with
 * its unsent bytes, with {@link BodyBudget#OVERHEAD} for each open stream, and with {@link #DECODED} times the bytes of the
 * read after which Vert.x stopped reading.
 *
 * <p>A connection past the first bound is closed. When all together are past the second, the one with the most is closed.
 * The bounds are twice those of unfinished bodies, since streams count that wait for permits or for Redis.
 *
 * <p>All of it grows only with what the client sends, so looking after each read is enough. Not counted are the first three
 * requests behind one that is not answered yet, after which Vert.x does not stop reading.
 */
public final class ConnectionMemory {
    /** How much longer a request is decoded than in its bytes, if it is one of the shortest. */
    static final int DECODED = 25;
    /** After how many reads to look again whether the connection has become one of HTTP/2. */
    private static final int LOOK_EVERY = 16;

    /** What a connection takes memory for. */
    public enum Use {
        /** Responses that the client does not take. */
        RESPONSES,
        /** Open streams of HTTP/2. */
        STREAMS,
        /** Requests behind one that is not answered yet. */
        PIPELINED
    }

    private final long maxBytes;
    private final long maxConnectionBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Counter, Long> byConnection = new ConcurrentHashMap<>();
    private final Map<Use, LongAdder> closed = new EnumMap<>(Use.class);

    public ConnectionMemory(Bounds bounds) {
        this.maxBytes = 2 * bounds.unfinished().bytes();
        this.maxConnectionBytes = 2 * bounds.unfinished().connectionBytes();
        for (Use use : Use.values()) {
            closed.put(use, new LongAdder());
        }
    }

    /** How many connections were closed because of the memory that they took mostly for this. */
    public long closed(Use use) {
        return Objects.requireNonNull(closed.get(use)).sum();
    }

    /** What counts the memory of one connection. */
    ChannelDuplexHandler counter() {
        return new Counter();
    }

    private final class Counter extends ChannelDuplexHandler {
        private @Nullable ChannelHandlerContext context;
        private @Nullable Http2ConnectionHandler streams;
        private int reads;
        private boolean stopped;
        private long counted;
        private volatile Use largest = Use.RESPONSES;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            this.context = context;
        }

        /** By now what arrived has been handled, and the responses written as far as the socket takes them. */
        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.fireChannelReadComplete();
            if (streams == null && (reads < LOOK_EVERY || reads % LOOK_EVERY == 0)) {
                streams = context.pipeline().get(Http2ConnectionHandler.class);
            }
            reads++;
            stopped = !context.channel().config().isAutoRead();
            count(context.channel());
        }

        /** Reads on: nothing is left of what was decoded. */
        @Override
        public void read(ChannelHandlerContext context) {
            if (stopped) {
                stopped = false;
                count(context.channel());
            }
            context.read();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.fireChannelWritabilityChanged();
            count(context.channel());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            context.fireChannelInactive();
            set(0);
        }

        private void count(Channel connection) {
            long unsent = connection.isWritable() ? 0 : LingeringClose.unsent(connection);
            long open = streams == null
                    ? 0
                    : (long) BodyBudget.OVERHEAD * streams.connection().numActiveStreams();
            long decoded = stopped
                    ? (long) DECODED * connection.unsafe().recvBufAllocHandle().lastBytesRead()
                    : 0;
            long own = unsent + open + decoded;
            if (own != counted) {
                largest =
                        decoded > Math.max(unsent, open) ? Use.PIPELINED : open > unsent ? Use.STREAMS : Use.RESPONSES;
                set(connection.isActive() ? own : 0);
            }
        }

        private void set(long own) {
            counted = own;
            Long before = own == 0 ? byConnection.remove(this) : byConnection.put(this, own);
            long all = bytes.addAndGet(own - (before == null ? 0 : before));
            if (own > maxConnectionBytes) {
                close();
            } else if (own > 0 && all > maxBytes) {
                closeLargest();
            }
        }

        /**
         * Closes the connection, below the handlers that would first wait for the client to take what there is for it. It
         * counts no more from now on, although another event loop may have to close it.
         */
        private void close() {
            Long before = byConnection.remove(this);
            if (before != null) {
                bytes.addAndGet(-before);
                Objects.requireNonNull(closed.get(largest)).increment();
                Objects.requireNonNull(context).close();
            }
        }
    }

    private void closeLargest() {
        byConnection.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .ifPresent(largest -> largest.getKey().close());
    }
}
