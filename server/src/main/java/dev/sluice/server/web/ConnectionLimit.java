package dev.sluice.server.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Limits the connections that a listening socket accepts: closes those beyond the limit at once, and gives each of the
 * others a {@link LingeringClose}, a {@link ResponseCoalescer}, an {@link IdleTimeout}, a {@link HeadTimeout} and a share of
 * the {@link ConnectionMemory}.
 */
@Sharable
final class ConnectionLimit extends ChannelInboundHandlerAdapter {
    /** The most bytes of one read: the requests in it are all decoded before the first is answered. */
    private static final int READ_BYTES = 16 << 10;

    private final RecvByteBufAllocator reads =
            new AdaptiveRecvByteBufAllocator(64, 2048, READ_BYTES).maxMessagesPerRead(1);
    private final Bounds bounds;
    private final BooleanSupplier open;
    private final Runnable onReject;
    private final ConnectionMemory memory;
    private final LingeringClose closing;
    private final AtomicInteger count = new AtomicInteger();

    ConnectionLimit(
            Bounds bounds, BooleanSupplier open, Runnable onReject, ConnectionMemory memory, LingeringClose closing) {
        this.bounds = bounds;
        this.memory = memory;
        this.closing = closing;
        this.open = open;
        this.onReject = onReject;
    }

    void install(ServerBootstrap bootstrap) {
        bootstrap.handler(this);
        new ResponseBuffers().install(bootstrap);
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
        connection.config().setRecvByteBufAllocator(reads);
        connection
                .pipeline()
                .addLast(
                        closing.closer(),
                        new ResponseCoalescer(),
                        new IdleTimeout(bounds.idleTimeout()),
                        memory.counter(),
                        new HeadTimeout(bounds.requestTimeout()));
        context.fireChannelRead(connection);
    }
}
