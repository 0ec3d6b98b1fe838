package dev.sluice.server.web;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of responses that clients do not take: of one connection, and of all together.
 *
 * <p>A client that sends requests and reads nothing makes the server keep the responses that the socket does not take. One
 * that opens streams of HTTP/2 and leaves no window to respond in makes the server keep the streams. So a connection counts
 * with its unsent bytes, and with {@link BodyBudget#OVERHEAD} for each open stream. One past the first bound is closed. When
 * all together are past the second, the one with the most is closed. The bounds are twice those of unfinished bodies, since
 * streams count that wait for permits or for Redis.
 *
 * <p>Both grow only with what the client sends, so looking after each read is enough.
 */
final class UnreadResponses {
    /** After how many reads to look again whether the connection has become one of HTTP/2. */
    private static final int LOOK_EVERY = 16;

    private final long maxBytes;
    private final long maxConnectionBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final Map<Channel, Long> byConnection = new ConcurrentHashMap<>();

    UnreadResponses(Bounds bounds) {
        this.maxBytes = 2 * bounds.unfinishedBytes();
        this.maxConnectionBytes = 2 * bounds.connectionUnfinishedBytes();
    }

    /** What counts the responses of one connection. */
    ChannelInboundHandlerAdapter counter() {
        return new Counter();
    }

    private final class Counter extends ChannelInboundHandlerAdapter {
        private @Nullable Http2ConnectionHandler streams;
        private int reads;
        private long counted;

        /** By now what arrived has been handled, and the responses written as far as the socket takes them. */
        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.fireChannelReadComplete();
            if (streams == null && (reads < LOOK_EVERY || reads % LOOK_EVERY == 0)) {
                streams = context.pipeline().get(Http2ConnectionHandler.class);
            }
            reads++;
            count(context.channel());
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.fireChannelWritabilityChanged();
            count(context.channel());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            context.fireChannelInactive();
            set(context.channel(), 0);
        }

        private void count(Channel connection) {
            long own = connection.isWritable() ? 0 : unsent(connection);
            if (streams != null) {
                own += (long) BodyBudget.OVERHEAD * streams.connection().numActiveStreams();
            }
            if (own != counted) {
                set(connection, connection.isActive() ? own : 0);
            }
        }

        private void set(Channel connection, long own) {
            counted = own;
            Long before = own == 0 ? byConnection.remove(connection) : byConnection.put(connection, own);
            long all = bytes.addAndGet(own - (before == null ? 0 : before));
            if (own > maxConnectionBytes) {
                connection.close();
            } else if (own > 0 && all > maxBytes) {
                closeLargest();
            }
        }
    }

    private static long unsent(Channel connection) {
        ChannelOutboundBuffer buffer = connection.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Closes the connection with the most. It counts no more from now on, although another event loop may have to close it. */
    private void closeLargest() {
        byConnection.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .filter(largest -> byConnection.remove(largest.getKey(), largest.getValue()))
                .ifPresent(largest -> {
                    bytes.addAndGet(-largest.getValue());
                    largest.getKey().close();
                });
    }
}
