package dev.sluice.server.web;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/** A request of {@link DirectRequests}, and its response as the bytes that are sent. */
final class DirectExchange implements Exchange {
    private static final AsciiString OK = statusLine(HttpResponseStatus.OK);
    private static final AsciiString NO_CONTENT = statusLine(HttpResponseStatus.NO_CONTENT);
    private static final AsciiString LENGTH = AsciiString.cached("content-length");
    private static final AsciiString CONNECTION = AsciiString.cached("connection");

    private final DirectRequests connection;
    private final HttpRequest head;
    private final ByteBuilder bytes;
    private int status = HttpResponseStatus.OK.code();
    private boolean ended;
    private boolean gone;
    private @Nullable Runnable whenGone;

    DirectExchange(DirectRequests connection, HttpRequest head, ByteBuilder bytes) {
        this.connection = connection;
        this.head = head;
        this.bytes = bytes;
    }

    private static AsciiString statusLine(HttpResponseStatus status) {
        return AsciiString.cached("HTTP/1.1 " + status + "\r\n");
    }

    @Override
    public String method() {
        return head.method().name();
    }

    @Override
    public String uri() {
        return head.uri();
    }

    @Override
    public String path() {
        int query = head.uri().indexOf('?');
        return query < 0 ? head.uri() : head.uri().substring(0, query);
    }

    /** Vert.x's decoder makes fields that are both Netty's and its own. */
    @Override
    public MultiMap headers() {
        return (MultiMap) head.headers();
    }

    @Override
    public String clientAddress() {
        return connection.clientAddress();
    }

    @Override
    public boolean isGone() {
        return gone || !connection.isActive(); // it hears of the end later than that comes
    }

    @Override
    public void whenGone(@Nullable Runnable then) {
        whenGone = then;
    }

    void gone() {
        gone = true;
        lost();
    }

    private void lost() {
        Runnable then = whenGone;
        if (then != null) {
            whenGone = null;
            then.run();
        }
    }

    @Override
    public Exchange status(int status) {
        this.status = status;
        bytes.clear();
        if (status == HttpResponseStatus.OK.code()) {
            bytes.raw(OK);
        } else if (status == HttpResponseStatus.NO_CONTENT.code()) {
            bytes.raw(NO_CONTENT);
        } else {
            bytes.raw(statusLine(HttpResponseStatus.valueOf(status)));
        }
        return this;
    }

    @Override
    public Exchange field(AsciiString name, String value) {
        bytes.raw(name).ascii(": ").ascii(value).ascii("\r\n");
        return this;
    }

    @Override
    public Exchange field(AsciiString name, ByteBuilder value) {
        bytes.raw(name).ascii(": ").raw(value).ascii("\r\n");
        return this;
    }

    @Override
    public void end() {
        if (status != HttpResponseStatus.NO_CONTENT.code()) {
            field(LENGTH, "0");
        }
        boolean isLast = endHead();
        send(0, isLast);
    }

    @Override
    public void end(ByteBuilder body) {
        bytes.raw(LENGTH).ascii(": ").number(body.length()).ascii("\r\n");
        boolean isLast = endHead();
        bytes.raw(body);
        send(body.length(), isLast);
    }

    /** Ends the fields; whether the connection is closed after this response. */
    private boolean endHead() {
        boolean isLast = connection.isLast();
        if (isLast) {
            field(CONNECTION, "close");
        }
        bytes.ascii("\r\n");
        return isLast;
    }

    private void send(int bodyBytes, boolean isLast) {
        if (ended) {
            throw new IllegalStateException("there is a response already");
        }
        ended = true;
        if (!isGone()) {
            connection.send(bytes, status, bodyBytes, isLast, whenGone == null ? null : this::lost);
        }
    }

    @Override
    public boolean isEnded() {
        return ended;
    }
}
