package dev.sluice.redis.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends commands that are issued at the same time in one write to the network.
 *
 * <p>It does so only while many commands are in flight. While few are, each is sent at once: a delayed command would leave
 * Redis idle, and the threads that wait for its reply issue no other.
 */
final class FlushCoalescer extends ChannelOutboundHandlerAdapter {
    private static final int MIN_IN_FLIGHT = 64;
    private static final int MAX_DELAYED = 64;

    private final AtomicInteger inFlight;
    private int delayed;

    /** {@code inFlight} is the number of commands without a reply. */
    FlushCoalescer(AtomicInteger inFlight) {
        this.inFlight = inFlight;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (delayed >= MAX_DELAYED || inFlight.get() < MIN_IN_FLIGHT) {
            flushNow(context);
        } else if (delayed++ == 0) {
            context.executor().execute(() -> flushNow(context)); // after the writes that are queued already
        }
    }

    private void flushNow(ChannelHandlerContext context) {
        delayed = 0;
        context.flush();
    }
}
