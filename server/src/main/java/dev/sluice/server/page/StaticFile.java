package dev.sluice.server.page;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file beside this class, with its type, its tag and its compressed form.
 *
 * <p>The tag is a weak one, since it names both forms.
 */
final class StaticFile {
    private static final int TAG_BYTES = 12;

    private final String type;
    private final Buffer plain;
    private final Buffer compressed;
    private final String tag;

    private StaticFile(String type, byte[] bytes) {
        this.type = type;
        this.plain = Buffer.buffer(bytes);
        this.compressed = Buffer.buffer(compress(bytes));
        this.tag = "W/\"" + hash(bytes) + "\"";
    }

    /** Reads a file. The type is that of its name. */
    static StaticFile of(String name) {
        return new StaticFile(type(name), bytes(name));
    }

    /** The text of a file. */
    static String text(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String name) {
        try (InputStream in = StaticFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in this build: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html";
            case "css" -> "text/css";
            case "js" -> "text/javascript";
            case "json" -> "application/json";
            case "ts" -> "application/typescript";
            default -> throw new IllegalArgumentException("a file of unknown type: " + name);
        };
    }

    private static byte[] compress(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static String hash(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, TAG_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Answers a GET or HEAD, with these header fields and those of the file. */
    void send(HttpServerRequest request, Map<String, String> fields) {
        HttpServerResponse response = request.response();
        fields.forEach(response::putHeader);
        response.putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("ETag", tag);
        if (isKnown(request.getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
            return;
        }
        boolean zip = acceptsGzip(request.getHeader("Accept-Encoding"));
        Buffer body = zip ? compressed : plain;
        response.putHeader("Content-Type", type + "; charset=utf-8")
                .putHeader("Content-Length", Integer.toString(body.length()));
        if (zip) {
            response.putHeader("Content-Encoding", "gzip");
        }
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
        } else {
            response.end(body);
        }
    }

    private boolean isKnown(@Nullable String tags) {
        return tags != null && (tags.trim().equals("*") || tags.contains(tag.substring(2)));
    }

    private static boolean acceptsGzip(@Nullable String encodings) {
        return encodings != null
                && encodings.matches("(?i)(?:.*[\\s,])?gzip(?:\\s*;\\s*q=(?:1|0?\\.\\d*[1-9]\\d*))?\\s*(?:,.*)?");
    }
}
