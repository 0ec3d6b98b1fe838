package dev.sluice.server.web;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections so that the client can read the last response: ends the output, and discards what the client still
 * sends until it closes its end too.
 *
 * <p>Why: a socket that is closed with unread bytes, or that receives more of them later, answers with a reset. A client
 * that is about to send then fails, and never looks at the response that has arrived.
 *
 * <p>To the other handlers the connection is closed at once, so nothing is kept for it but the socket and the end of the
 * last response. How long it lingers, how much it still has to send, how much it discards, and how many connections linger
 * at a time are bounded. Past a bound a connection is closed as it is.
 */
final class LingeringClose {
    private static final Duration MAX_TIME = Duration.ofSeconds(2);
    private static final long MAX_BYTES = 8 << 20;
    private static final int MAX_CONNECTIONS = 1000;
    private static final long MAX_UNSENT = 64 << 10;

    private final Duration maxTime;
    private final long maxBytes;
    private final int maxConnections;
    private final AtomicInteger lingering = new AtomicInteger();

    LingeringClose() {
        this(MAX_TIME, MAX_BYTES, MAX_CONNECTIONS);
    }

    LingeringClose(Duration maxTime, long maxBytes, int maxConnections) {
        this.maxTime = maxTime;
        this.maxBytes = maxBytes;
        this.maxConnections = maxConnections;
    }

    /** What closes one connection. It must be the first of its handlers. */
    ChannelOutboundHandlerAdapter closer() {
        return new Closer();
    }

    /** The bytes that were written and that the socket has not taken yet. */
    static long unsent(Channel connection) {
        ChannelOutboundBuffer buffer = connection.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Whether there is room for one more connection that lingers. */
    private boolean enter(Channel connection) {
        if (lingering.incrementAndGet() > maxConnections) {
            lingering.decrementAndGet();
            return false;
        }
        connection.closeFuture().addListener(closed -> lingering.decrementAndGet());
        return true;
    }

    private final class Closer extends ChannelOutboundHandlerAdapter {
        private boolean closing;

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            Channel connection = context.channel();
            context.flush(); // which may end in another call of this
            if (!closing) {
                closing = connection.isActive()
                        && connection instanceof DuplexChannel
                        && unsent(connection) <= MAX_UNSENT
                        && enter(connection);
                if (!closing) {
                    context.close(promise);
                    return;
                }
                connection.pipeline().addFirst(new Discarder());
            }
            connection.closeFuture().addListener(closed -> promise.trySuccess());
        }
    }

    /** Takes the place of all other handlers. They hear that the connection is closed, of nothing more after that, and send nothing. */
    private final class Discarder extends ChannelDuplexHandler {
        private @Nullable Future<?> end;
        private boolean closedForOthers;
        private long discarded;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            DuplexChannel connection = (DuplexChannel) context.channel();
            end = context.executor().schedule(() -> context.close(), maxTime.toMillis(), TimeUnit.MILLISECONDS);
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> connection.shutdownOutput());
            connection.config().setAutoRead(true);
            context.executor().execute(() -> closeForOthers(context)); // not now: they may be in the middle of a read
        }

        private void closeForOthers(ChannelHandlerContext context) {
            if (!closedForOthers) {
                closedForOthers = true;
                context.fireChannelInactive();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            discarded += bytes instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
            ReferenceCountUtil.release(bytes);
            if (discarded > maxBytes) {
                context.close();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (!closedForOthers) {
                context.fireChannelReadComplete(); // of the read that they were in the middle of
            }
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            if (!promise.isVoid()) { // which would tell all handlers of a failure
                promise.tryFailure(new ClosedChannelException());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            ReferenceCountUtil.release(event);
        }

        /** Ignored: if the client has reset the connection, it is about to be closed; else a write of the others failed. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {}

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            closeForOthers(context);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            if (end != null) {
                end.cancel(false);
            }
        }
    }
}
