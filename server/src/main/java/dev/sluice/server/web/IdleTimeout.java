package dev.sluice.server.web;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateEvent;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection on which nothing has come and nothing was sent for too long.
 *
 * <p>Time is counted in ticks of one timer for each connection, because reading the clock for every request, and hearing
 * of the end of every write, would cost more.
 */
final class IdleTimeout extends ChannelDuplexHandler {
    private static final int TICKS = 4;

    private final Duration timeout;
    private @Nullable Future<?> ticking;
    private int ticks;

    IdleTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        long millis = Math.max(1, timeout.toMillis() / TICKS);
        ticking = context.executor().scheduleAtFixedRate(() -> tick(context), millis, millis, TimeUnit.MILLISECONDS);
        context.fireChannelActive();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        ticks = 0;
        context.fireChannelReadComplete();
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        ticks = 0;
        context.flush();
    }

    private void tick(ChannelHandlerContext context) {
        if (++ticks > TICKS) {
            ticks = 0;
            context.fireUserEventTriggered(IdleStateEvent.ALL_IDLE_STATE_EVENT); // Vert.x closes the connection
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stop();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        stop();
    }

    private void stop() {
        if (ticking != null) {
            ticking.cancel(false);
        }
    }
}
