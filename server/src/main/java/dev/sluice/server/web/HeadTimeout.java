package dev.sluice.server.web;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client begins a request and does not finish its head in time.
 *
 * <p>An idle timeout misses a client that sends a byte now and then. So time runs from the first bytes that the decoder
 * makes no message of, until it makes one. Time is counted in ticks of one timer for each connection, because reading the
 * clock or setting a timer for every request would cost more.
 *
 * <p>With TLS it goes behind the decryption, where it sees what the client sends. Vert.x ends a handshake that takes too
 * long, and has chosen the protocol before the first bytes come.
 *
 * <pre>
 *   bytes ──► this ──► decoder ──► {@link DecodedProbe} ──► Vert.x
 * </pre>
 */
final class HeadTimeout extends ChannelInboundHandlerAdapter {
    private static final int TICKS = 4;
    private static final String DECODER = "httpDecoder"; // the names that Vert.x gives
    private static final String UPGRADE = "h2c";

    private final Duration timeout;
    private final boolean decrypted;
    private @Nullable Future<?> ticking;
    private @Nullable DecodedProbe probe;
    private boolean lookedForTls;
    private boolean waiting;
    private int ticks;

    HeadTimeout(Duration timeout) {
        this(timeout, false);
    }

    private HeadTimeout(Duration timeout, boolean decrypted) {
        this.timeout = timeout;
        this.decrypted = decrypted;
        this.lookedForTls = decrypted;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (decrypted) {
            start(context);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        start(context);
        context.fireChannelActive();
    }

    private void start(ChannelHandlerContext context) {
        long millis = Math.max(1, timeout.toMillis() / TICKS);
        ticking = context.executor().scheduleAtFixedRate(() -> tick(context), millis, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (!lookedForTls && movesBehindTls(context)) {
            context.fireChannelRead(bytes);
            return;
        }
        if (decrypted && probe == null) {
            startsHead(context.pipeline());
        }
        DecodedProbe current = probe;
        if (current == null) {
            context.fireChannelRead(bytes);
            waiting = !context.isRemoved() && startsHead(context.pipeline());
            return;
        }
        current.decoded = false;
        context.fireChannelRead(bytes);
        if (current.decoded) {
            waiting = false;
        } else if (!waiting) {
            waiting = true;
            ticks = 0;
        }
    }

    /** Moves behind the decryption, if there is one: it is there before the first bytes come. */
    private boolean movesBehindTls(ChannelHandlerContext context) {
        lookedForTls = true;
        ChannelHandlerContext tls = context.pipeline().context(SslHandler.class);
        if (tls == null) {
            return false;
        }
        context.pipeline().addAfter(tls.name(), null, new HeadTimeout(timeout, true));
        context.pipeline().remove(this);
        return true;
    }

    /** Whether the first bytes are an unfinished head. Vert.x has chosen the protocol by now, or needs more bytes for it. */
    private boolean startsHead(ChannelPipeline pipeline) {
        if (pipeline.get(Http2ConnectionHandler.class) != null) {
            pipeline.remove(this);
            return false;
        }
        if (pipeline.get(DECODER) == null) {
            return true;
        }
        probe = new DecodedProbe();
        pipeline.addAfter(DECODER, null, probe);
        return pipeline.get(UPGRADE) != null; // removed once it has seen the first head
    }

    private void tick(ChannelHandlerContext context) {
        if (!waiting || ++ticks <= TICKS) {
            return;
        }
        if (probe != null && context.pipeline().get(DECODER) == null) {
            context.pipeline().remove(this); // the connection became HTTP/2
        } else {
            context.writeAndFlush(response()).addListener(ChannelFutureListener.CLOSE);
            stop();
        }
    }

    private ByteBuf response() {
        String body = HttpProblem.of(408, "the head of a request was not complete after " + timeout.toMillis() + " ms")
                .text();
        String head = "HTTP/1.1 408 Request Timeout\r\ncontent-type: " + HttpProblem.MEDIA_TYPE + "\r\ncontent-length: "
                + body.length() + "\r\nconnection: close\r\n\r\n";
        return Unpooled.copiedBuffer(head + body, StandardCharsets.US_ASCII);
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

    /** Notices that the decoder has made a message of the bytes. */
    private static final class DecodedProbe extends ChannelInboundHandlerAdapter {
        private boolean decoded;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            decoded = true;
            context.fireChannelRead(message);
        }
    }
}
