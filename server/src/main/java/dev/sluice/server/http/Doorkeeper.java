package dev.sluice.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Stands at a listening socket: closes at once what is over the limit of connections, and sees to slow clients. */
@Sharable
final class Doorkeeper extends ChannelInboundHandlerAdapter {
    private final Bounds bounds;
    private final BooleanSupplier open;
    private final Runnable turnedAway;
    private final AtomicInteger count = new AtomicInteger();

    Doorkeeper(Bounds bounds, BooleanSupplier open, Runnable turnedAway) {
        this.bounds = bounds;
        this.open = open;
        this.turnedAway = turnedAway;
    }

    void standAt(ServerBootstrap bootstrap) {
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
            turnedAway.run();
            return;
        }
        connection.closeFuture().addListener(closed -> count.decrementAndGet());
        connection.pipeline().addLast(new SlowHead(bounds.patience()));
        context.fireChannelRead(connection);
    }
}
