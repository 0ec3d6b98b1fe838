package dev.sluice.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseBuffersTest {
    private final ResponseBuffers buffers = new ResponseBuffers();

    /** The head of a check takes about 190 bytes and its body 250. */
    @ParameterizedTest
    @CsvSource({"0,1", "40,1", "250,1", "350,1", "5000,2"})
    void aResponseIsOneBuffer(int bodyBytes, int expected) {
        EmbeddedChannel connection = new EmbeddedChannel(new HttpResponseEncoder());
        connection.config().setAllocator(buffers);
        for (int i = 0; i < 20; i++) { // until the encoder knows how long heads are
            connection.writeOutbound(response(bodyBytes));
            assertThat(connection.outboundMessages()).hasSize(expected);
            connection.releaseOutbound();
        }
        connection.finishAndReleaseAll();
    }

    private static DefaultFullHttpResponse response(int bodyBytes) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(new byte[bodyBytes]));
        response.headers().set("Content-Length", bodyBytes).set("X-Limits", "x".repeat(140));
        return response;
    }

    @ParameterizedTest
    @CsvSource({"9,9", "95,95", "96,640", "256,640", "640,640", "641,641", "16384,16384"})
    void onlyHeadsAreMadeLonger(int asked, int given) {
        ByteBuf buffer = buffers.buffer(asked);
        try {
            assertThat(buffer.capacity()).isEqualTo(given);
            assertThat(buffer.isDirect()).isTrue();
        } finally {
            buffer.release();
        }
    }

    /** So that a client that takes no responses is cut off by the memory that they take. */
    @ParameterizedTest
    @CsvSource({"9,9", "96,640"})
    void aBufferCountsInFull(int asked, int counted) {
        MessageSizeEstimator.Handle sizes = buffers.newHandle();
        ByteBuf buffer = buffers.buffer(asked).writeByte(1);
        try {
            assertThat(sizes.size(buffer)).isEqualTo(counted);
        } finally {
            buffer.release();
        }
    }
}
