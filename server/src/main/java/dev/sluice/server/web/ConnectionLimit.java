package dev.sluice.server.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Limits the connections that a listening socket accepts: closes those beyond the limit at once, and gives each of the
 * others a {@link HeadTimeout}.
 */
@Sharable
final class ConnectionLimit extends ChannelInboundHandlerAdapter {
    private final Bounds bounds;
    private final BooleanSupplier open;
    private final Runnable onReject;
    private final AtomicInteger count = new AtomicInteger();

    ConnectionLimit(Bounds bounds, BooleanSupplier open, Runnable onReject) {
        this.bounds = bounds;
        this.open = open;
        this.onReject = onReject;
    }

    void install(ServerBootstrap bootstrap) {
        bootstrap.handler(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        Channel connection = (Channel) accepted;
        if (!open.getAsBoolean()) {
            connection.unsafe().closeForcibly();
            return;
        }
        if (count.incrementAndGet() > bounds.connections()) {
            count.decrementAndGet();
            connection.unsafe().closeForcibly();
            onReject.run();
            return;
        }
        connection.closeFuture().addListener(closed -> count.decrementAndGet());
        connection.pipeline().addLast(new HeadTimeout(bounds.requestTimeout()));
        context.fireChannelRead(connection);
    }
}
