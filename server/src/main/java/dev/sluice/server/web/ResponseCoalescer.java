package dev.sluice.server.web;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Sends the responses of several connections one right after the other: when the event loop has handled all that has come,
 * or as soon as {@link #MAX_WAITING} connections have one.
 *
 * <p>Why: a response wakes its client, and a client on the same machine asks again at once. If each response is sent before
 * the next request is read, an event loop soon finds one request at a time, and falls asleep after each. Sent together, the
 * responses make clients ask together too. And the processor's caches keep the code that reads, and then the code that
 * sends.
 *
 * <p>A lone response is sent at once: then there is nothing else to handle. So is one that is longer than what a connection
 * may keep, so that its memory is bounded as before.
 */
final class ResponseCoalescer extends ChannelDuplexHandler {
    /** A few, so that the first does not wait long for the last. */
    private static final int MAX_WAITING = 16;

    /** The connections of an event loop that have something to send. */
    private static final FastThreadLocal<ArrayDeque<ResponseCoalescer>> WAITING = new FastThreadLocal<>() {
        @Override
        protected ArrayDeque<ResponseCoalescer> initialValue() {
            return new ArrayDeque<>(MAX_WAITING + 1);
        }
    };

    private @Nullable ChannelHandlerContext waiting;

    @Override
    public void flush(ChannelHandlerContext context) {
        if (!context.channel().isWritable()) {
            context.flush();
        } else if (waiting == null) {
            waiting = context;
            ArrayDeque<ResponseCoalescer> all = WAITING.get();
            all.add(this);
            if (all.size() == 1) {
                context.executor().execute(ResponseCoalescer::sendAll); // runs when all that has come is handled
            } else if (all.size() == MAX_WAITING) {
                sendAll();
            }
        }
    }

    /**
     * Sends what still waits since the last read. Where the client has ended its side after a request, the event loop notices
     * that next, and then closes the connection with all that was not sent.
     */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        send();
        context.fireChannelReadComplete();
    }

    /** Sends what waits before it closes: closing drops what was not sent. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        send();
        context.close(promise);
    }

    private static void sendAll() {
        ArrayDeque<ResponseCoalescer> all = WAITING.get();
        for (ResponseCoalescer next = all.poll(); next != null; next = all.poll()) {
            next.send();
        }
    }

    private void send() {
        ChannelHandlerContext context = waiting;
        waiting = null;
        if (context != null) {
            context.flush();
        }
    }
}
