package dev.sluice.server.web;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A transport of Vert.x that puts a {@link ConnectionLimit} on every listening socket. Vert.x has no other place for
 * one.
 */
public final class LimitedTransport implements io.vertx.core.transport.Transport {
    private final io.vertx.core.transport.Transport inner;
    private final Transport limited;

    /**
     * @param open whether connections are accepted at all
     * @param onReject called for every connection beyond the limit
     * @param memory bounds the memory of the connections
     */
    public LimitedTransport(Bounds bounds, BooleanSupplier open, Runnable onReject, ConnectionMemory memory) {
        this.inner = best();
        LingeringClose closing = new LingeringClose();
        this.limited =
                new Limited(inner.implementation(), () -> new ConnectionLimit(bounds, open, onReject, memory, closing));
    }

    /** The native one where there is one, since it is cheaper, else the one of the JDK. */
    private static io.vertx.core.transport.Transport best() {
        io.vertx.core.transport.Transport nativeOne = io.vertx.core.transport.Transport.nativeTransport();
        return nativeOne != null && nativeOne.available() ? nativeOne : io.vertx.core.transport.Transport.NIO;
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public boolean available() {
        return inner.available();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return inner.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return limited;
    }

    private record Limited(Transport inner, Supplier<ConnectionLimit> limit) implements Transport {
        @Override
        public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
            inner.configure(options, domainSocket, bootstrap);
            limit.get().install(bootstrap);
        }

        @Override
        public boolean supportsDomainSockets() {
            return inner.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return inner.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return inner.isAvailable();
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return inner.unavailabilityCause();
        }

        @Override
        public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
            return inner.convert(address);
        }

        @Override
        public io.vertx.core.net.@Nullable SocketAddress convert(SocketAddress address) {
            return inner.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return inner.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return inner.eventLoopGroup(type, threads, factory, ioRatio);
        }

        @Override
        public DatagramChannel datagramChannel() {
            return inner.datagramChannel();
        }

        @Override
        @SuppressWarnings("deprecation") // Vert.x calls it
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return inner.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return inner.channelFactory(domainSocket);
        }

        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            return inner.serverChannelFactory(domainSocket);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            inner.configure(channel, options);
        }

        @Override
        public void configure(
                ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
            inner.configure(options, connectTimeout, domainSocket, bootstrap);
        }
    }
}
