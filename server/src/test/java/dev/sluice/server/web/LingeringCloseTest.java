package dev.sluice.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that says no to the first byte and closes, with bounds that are easily reached. */
@Timeout(60)
class LingeringCloseTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int MAX_BYTES = 100_000;
    private static final int MAX_CONNECTIONS = 2;

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<Socket> clients = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger sockets = new AtomicInteger();

    @AfterEach
    void stop() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }

    private int start(Duration maxTime) {
        LingeringClose closing = new LingeringClose(maxTime, MAX_BYTES, MAX_CONNECTIONS);
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        sockets.incrementAndGet();
                        connection.closeFuture().addListener(closed -> sockets.decrementAndGet());
                        connection.pipeline().addLast(closing.closer(), new SaysNo());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** Counts the connections that are open to those behind the closer. */
    private final class SaysNo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            open.incrementAndGet();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            ReferenceCountUtil.release(bytes);
            context.writeAndFlush(Unpooled.copiedBuffer("no", StandardCharsets.US_ASCII))
                    .addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            open.decrementAndGet();
        }
    }

    private Socket ask(int port) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client.getOutputStream().write('x');
        assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("no");
        return client;
    }

    private void await(String what, AtomicInteger number, int expected) {
        Eventually.holds(what, SOON, () -> number.get() == expected, number::toString);
    }

    /** To the others it is closed at once, to the client when it closes its end. */
    @Test
    void untilTheClientCloses() throws Exception {
        int port = start(Duration.ofMinutes(1));
        Socket client = ask(port);
        client.getOutputStream().write(new byte[1000]);
        await("closed for the others", open, 0);
        assertThat(sockets).hasValue(1);
        client.close();
        await("closed", sockets, 0);
    }

    @Test
    void forATime() throws Exception {
        ask(start(Duration.ofMillis(200)));
        await("closed", sockets, 0);
    }

    @Test
    void forANumberOfBytes() throws Exception {
        Socket client = ask(start(Duration.ofMinutes(1)));
        client.getOutputStream().write(new byte[MAX_BYTES]);
        client.getOutputStream().write('x');
        await("closed", sockets, 0);
    }

    @Test
    void aNumberOfConnections() throws Exception {
        int port = start(Duration.ofMinutes(1));
        for (int i = 0; i < MAX_CONNECTIONS + 3; i++) {
            ask(port);
        }
        await("the rest is closed", sockets, MAX_CONNECTIONS);
        clients.get(0).close();
        await("one ends", sockets, MAX_CONNECTIONS - 1);
        ask(port);
        await("another lingers in its place", sockets, MAX_CONNECTIONS);
        await("none is asked any more", open, 0);
    }
}
