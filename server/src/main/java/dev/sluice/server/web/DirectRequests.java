package dev.sluice.server.web;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.VoidChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.ContextInternal;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Hands the plain GET requests of a connection over HTTP/1.1 to the port's handler, if that takes them, before Vert.x makes
 * anything of them. All others go on to Vert.x.
 *
 * <pre>
 *            decoder ──► this ──► Vert.x
 *   socket ◄── encoder ◄── this ◄── Vert.x
 *   socket ◄─────────────── this
 * </pre>
 *
 * <p>Why: Vert.x takes longer to make its objects of a check and of the response than all of the deciding does.
 *
 * <p>Responses leave in the order of their requests. So a request is handed over only while Vert.x owes no response, and what
 * comes while the handler owes one waits here. A connection that is to be closed goes on with Vert.x alone, which
 * closes it.
 */
public final class DirectRequests extends ChannelDuplexHandler {
    /** So many messages wait before nothing more is read: as many as Vert.x lets wait. */
    private static final int MAX_WAITING = 8;

    private static final String ENCODER = "httpEncoder"; // the names that Vert.x gives
    private static final String VERTX = "handler";

    /** What the connections of a port that share an event loop have in common. */
    public static final class Port {
        private final PortHandler handler;
        private final ConnectionDrain drain;
        private final HttpCounters.Port counters;
        private final ByteBuilder bytes = new ByteBuilder();

        public Port(PortHandler handler, ConnectionDrain drain, HttpCounters.Port counters) {
            this.handler = handler;
            this.drain = drain;
            this.counters = counters;
        }

        /** Looks at the requests of a connection that was opened, unless it is over HTTP/2. */
        public void opened(HttpConnection connection) {
            boolean isHttp2 = connection.getWindowSize() >= 0;
            if (!isHttp2 && connection instanceof HttpServerConnection known) {
                Channel channel = known.channelHandlerContext().channel();
                channel.pipeline().addBefore(VERTX, null, new DirectRequests(this, channel, known.context()));
            }
        }
    }

    private final Port port;
    private final Channel channel;
    private final ContextInternal context;
    /** The place of the encoder: what is sent from there does not pass through it. */
    private final ChannelHandlerContext encoder;

    private final ChannelPromise unheard;
    private final ArrayDeque<Object> waiting = new ArrayDeque<>(0);
    private @Nullable String clientAddress;
    /** The request that the handler owes a response for. */
    private @Nullable DirectExchange current;
    /** How many responses Vert.x owes. */
    private int owedByVertx;
    /** Whether the end of a request that was handed over is still to come. It says nothing: the request has no body. */
    private boolean awaitsEnd;
    /** Whether the connection is to be closed, or may be, so that no request is handed over any more. */
    private boolean isEnding;
    /** Whether the last response was sent, so that nobody hears what comes now. */
    private boolean hasEnded;

    private boolean isReading;
    private boolean hasWritten;

    private DirectRequests(Port port, Channel channel, ContextInternal context) {
        this.port = port;
        this.channel = channel;
        this.context = context;
        this.encoder = channel.pipeline().context(ENCODER);
        this.unheard = new VoidChannelPromise(channel, false);
    }

    // ---- Requests

    @Override
    public void channelRead(ChannelHandlerContext here, Object message) {
        isReading = true;
        if (hasEnded) {
            ReferenceCountUtil.release(message);
        } else if (waiting.isEmpty() && mayPass(message)) {
            pass(here, message);
        } else {
            waiting.add(message);
            if (waiting.size() == MAX_WAITING) {
                channel.config().setAutoRead(false);
            }
        }
    }

    private void pass(ChannelHandlerContext here, Object message) {
        if (message instanceof HttpRequest head) {
            if (isPlain(head) && port.handler.takes(head.uri())) {
                awaitsEnd = true;
                DirectExchange exchange = new DirectExchange(this, head, port.bytes);
                current = exchange;
                context.emit(exchange, port.handler::handle);
                return;
            }
            owedByVertx++;
            isEnding |= !staysOpen(head);
        } else if (awaitsEnd && message instanceof LastHttpContent) {
            awaitsEnd = false;
            ReferenceCountUtil.release(message);
            return;
        }
        here.fireChannelRead(message);
    }

    /** Whether a message need not wait for the response that the handler owes. */
    private boolean mayPass(Object message) {
        return current == null || (awaitsEnd && message instanceof LastHttpContent);
    }

    /** Whether nothing is to be done about this request but to respond to it, and that can be done now. */
    private boolean isPlain(HttpRequest head) {
        return owedByVertx == 0
                && !isEnding
                && !port.drain.isDraining()
                && head.method().equals(HttpMethod.GET)
                && staysOpen(head)
                && isPlain(head.headers());
    }

    /** Whether the connection surely stays open after this request: of other versions Vert.x has a view of its own. */
    private static boolean staysOpen(HttpRequest head) {
        return head.decoderResult().isSuccess()
                && head.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && HttpUtil.isKeepAlive(head);
    }

    private static boolean isPlain(HttpHeaders headers) {
        return !headers.contains(HttpHeaderNames.CONTENT_LENGTH)
                && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
                && !headers.contains(HttpHeaderNames.UPGRADE)
                && !headers.contains(HttpHeaderNames.EXPECT);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext here) {
        isReading = false;
        if (hasWritten) {
            hasWritten = false;
            encoder.flush();
        }
        here.fireChannelReadComplete();
    }

    /** Hands on what has waited for a response. */
    private void passWaiting() {
        ChannelHandlerContext here = channel.pipeline().context(this);
        isReading = true;
        while (!waiting.isEmpty() && mayPass(waiting.element())) {
            Object next = waiting.remove();
            if (waiting.size() == MAX_WAITING - 1) { // no sooner: what is read waits too
                channel.config().setAutoRead(true); // before Vert.x may stop it again
            }
            pass(here, next);
        }
        channelReadComplete(here);
    }

    // ---- Responses

    /** The address of the client. */
    String clientAddress() {
        String known = clientAddress;
        if (known == null) {
            known = ((InetSocketAddress) channel.remoteAddress()).getAddress().getHostAddress();
            clientAddress = known;
        }
        return known;
    }

    boolean isActive() {
        return channel.isActive();
    }

    /** Whether the response is the last of this connection. */
    boolean isLast() {
        return port.drain.isDraining();
    }

    /**
     * Sends a response.
     *
     * @param isLast whether it says that the connection is closed after it
     * @param lost hears if it cannot be sent
     */
    void send(ByteBuilder response, int status, int bodyBytes, boolean isLast, @Nullable Runnable lost) {
        port.counters.responded(status, bodyBytes);
        current = null;
        ByteBuf buffer = channel.alloc().directBuffer(response.length());
        response.writeTo(buffer);
        if (lost == null) {
            encoder.write(buffer, unheard);
        } else {
            encoder.write(buffer).addListener(sent -> {
                if (!sent.isSuccess()) {
                    lost.run();
                }
            });
        }
        if (isLast) {
            end();
        } else if (isReading) {
            hasWritten = true;
        } else {
            encoder.flush();
            if (!waiting.isEmpty()) {
                passWaiting();
            }
        }
    }

    /** What Vert.x sends: it owes one response less with the end of one. */
    @Override
    public void write(ChannelHandlerContext here, Object message, ChannelPromise promise) {
        if (message instanceof LastHttpContent
                && !(message instanceof HttpResponse response
                        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL)) {
            owedByVertx--;
        }
        here.write(message, promise);
    }

    // ---- The end

    private void end() {
        isEnding = true;
        hasEnded = true;
        releaseWaiting();
        encoder.close();
    }

    /** Waits for a response that is being made, if the server is about to stop: Vert.x does not know of it. */
    @Override
    public void close(ChannelHandlerContext here, ChannelPromise promise) {
        isEnding = true;
        if (current == null || !port.drain.isDraining()) {
            here.close(promise);
        } else {
            channel.closeFuture().addListener(closed -> promise.trySuccess());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext here) {
        isEnding = true;
        hasEnded = true;
        releaseWaiting();
        DirectExchange unanswered = current;
        current = null;
        if (unanswered != null) {
            port.counters.reset();
            context.emit(unanswered, DirectExchange::gone);
        }
        here.fireChannelInactive();
    }

    private void releaseWaiting() {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
    }
}
