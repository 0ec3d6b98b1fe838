package dev.sluice.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseCoalescerTest {
    private final List<EmbeddedChannel> connections = Stream.generate(
                    () -> new EmbeddedChannel(new ResponseCoalescer()))
            .limit(20)
            .toList();

    @AfterEach
    void close() {
        connections.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void sendsWhatSeveralConnectionsHaveWhenAllIsHandled() {
        ChannelFuture first = respond(0);
        ChannelFuture second = respond(1);
        ChannelFuture third = respond(1);
        assertThat(Stream.of(first, second, third)).noneMatch(ChannelFuture::isSuccess);

        handled();
        assertThat(Stream.of(first, second, third)).allMatch(ChannelFuture::isSuccess);
    }

    @Test
    void sendsAgainAfterThat() {
        var unused = respond(0);
        handled();
        ChannelFuture next = respond(0);
        handled();
        assertThat(next.isSuccess()).isTrue();
    }

    @Test
    void sendsAtOnceWhatManyConnectionsHave() {
        ChannelFuture first = respond(0);
        for (int i = 1; i < 15; i++) {
            var unused = respond(i);
        }
        assertThat(first.isSuccess()).isFalse();
        assertThat(respond(15).isSuccess()).isTrue();
        assertThat(first.isSuccess()).isTrue();
        assertThat(respond(16).isSuccess()).isFalse();
    }

    @Test
    void sendsALongResponseAtOnce() {
        connections.get(0).config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        assertThat(respond(0).isSuccess()).isTrue();
    }

    @Test
    void sendsBeforeAConnectionIsClosedWhoseClientHasEndedItsSide() {
        ChannelFuture response = respond(0);
        connections.get(0).pipeline().fireChannelReadComplete(); // of the read that finds the end
        assertThat(response.isSuccess()).isTrue();
    }

    @Test
    void sendsBeforeTheServerClosesAConnection() {
        ChannelFuture response = respond(0);
        var unused = connections.get(0).close();
        assertThat(response.isSuccess()).isTrue();
    }

    private ChannelFuture respond(int connection) {
        return connections.get(connection).pipeline().writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
    }

    /** The event loop has handled all that has come. Here each connection has one of its own, on the same thread. */
    private void handled() {
        connections.forEach(EmbeddedChannel::runPendingTasks);
    }
}
