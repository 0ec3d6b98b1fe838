package dev.sluice.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives up on a client that begins a request and does not come to the end of its head.
 *
 * <p>A timeout on idle connections does not see a client that sends a byte now and then. So time runs while bytes come in
 * from which the decoder makes nothing, and stops when it makes something of them. It is counted in ticks, because to
 * read the clock or to set a timer for every request would cost more.
 *
 * <pre>
 *   bytes ──► this ──► decoder ──► {@link Sight} ──► Vert.x
 * </pre>
 */
final class SlowHead extends ChannelInboundHandlerAdapter {
    private static final int TICKS = 4;
    private static final String DECODER = "httpDecoder"; // the names that Vert.x gives
    private static final String UPGRADE = "h2c";

    private final Duration patience;
    private @Nullable Future<?> ticking;
    private @Nullable Sight sight;
    private boolean waiting;
    private int ticks;

    SlowHead(Duration patience) {
        this.patience = patience;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        long millis = Math.max(1, patience.toMillis() / TICKS);
        ticking = context.executor().scheduleAtFixedRate(() -> tick(context), millis, millis, TimeUnit.MILLISECONDS);
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        Sight seeing = sight;
        if (seeing == null) {
            context.fireChannelRead(bytes);
            waiting = begun(context.pipeline());
            return;
        }
        seeing.seen = false;
        context.fireChannelRead(bytes);
        if (seeing.seen) {
            waiting = false;
        } else if (!waiting) {
            waiting = true;
            ticks = 0;
        }
    }

    /** Whether what came first is a part of a head. Vert.x has chosen the protocol by then, or needs more bytes to. */
    private boolean begun(ChannelPipeline pipeline) {
        if (pipeline.get(Http2ConnectionHandler.class) != null) {
            pipeline.remove(this);
            return false;
        }
        if (pipeline.get(DECODER) == null) {
            return true;
        }
        sight = new Sight();
        pipeline.addAfter(DECODER, null, sight);
        return pipeline.get(UPGRADE) != null; // goes when it has seen the first head
    }

    private void tick(ChannelHandlerContext context) {
        if (!waiting || ++ticks <= TICKS) {
            return;
        }
        if (sight != null && context.pipeline().get(DECODER) == null) {
            context.pipeline().remove(this); // became HTTP/2
        } else {
            context.writeAndFlush(answer()).addListener(ChannelFutureListener.CLOSE);
            stop();
        }
    }

    private ByteBuf answer() {
        String body = Problem.text(408, "the head of a request was not complete after " + patience.toMillis() + " ms");
        String head = "HTTP/1.1 408 Request Timeout\r\ncontent-type: " + Problem.TYPE + "\r\ncontent-length: "
                + body.length() + "\r\nconnection: close\r\n\r\n";
        return Unpooled.copiedBuffer(head + body, StandardCharsets.US_ASCII);
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

    /** Sees what the decoder makes of the bytes. */
    private static final class Sight extends ChannelInboundHandlerAdapter {
        private boolean seen;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            seen = true;
            context.fireChannelRead(message);
        }
    }
}
