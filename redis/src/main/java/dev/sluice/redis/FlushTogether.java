package dev.sluice.redis;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends what is asked at the same time in one write to the network.
 *
 * <p>Only while Redis has enough to do: when few commands are under way, each goes out at once, since threads that wait
 * for each other's would in the end all wait for Redis, and Redis for them.
 */
final class FlushTogether extends ChannelOutboundHandlerAdapter {
    private static final int ENOUGH = 64;
    private static final int MOST = 64;

    private final AtomicInteger underWay;
    private int kept;

    /** {@code underWay}: how many commands have not been answered. */
    FlushTogether(AtomicInteger underWay) {
        this.underWay = underWay;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (kept >= MOST || underWay.get() < ENOUGH) {
            flushNow(context);
        } else if (kept++ == 0) {
            context.executor().execute(() -> flushNow(context)); // behind those that are waiting already
        }
    }

    private void flushNow(ChannelHandlerContext context) {
        kept = 0;
        context.flush();
    }
}
