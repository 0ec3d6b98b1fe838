package dev.sluice.spring.web;

import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Verdict;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/** The response to a denied request: a status, header fields and a body. It does not change; each method makes another. */
public final class Refusal {
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Set<Integer> WITHOUT_BODY = Set.of(204, 205, 304);
    private static final String CONTENT_TYPE = "Content-Type";

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;
    /** What the body tells; null if it is the application's own. */
    private final @Nullable Verdict told;

    private Refusal(int status, Map<String, String> headers, byte[] body, @Nullable Verdict told) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.told = told;
    }

    /** 429 with a body of {@code application/problem+json} and the header fields that tell the limits. */
    static Refusal of(Verdict verdict) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        RateLimitHeaders.set(verdict, headers::put);
        headers.put(CONTENT_TYPE, QuotaExceeded.MEDIA_TYPE);
        return new Refusal(QuotaExceeded.STATUS, headers, problem(verdict, QuotaExceeded.STATUS), verdict);
    }

    private static byte[] problem(Verdict verdict, int status) {
        return QuotaExceeded.json(verdict, status).getBytes(StandardCharsets.UTF_8);
    }

    public int status() {
        return status;
    }

    /** The header fields, {@code Content-Type} among them, by names without regard to case. */
    public Map<String, String> headers() {
        return Collections.unmodifiableMap(headers);
    }

    public byte[] body() {
        return body.clone();
    }

    /** The body as it is sent; null if the status allows none. */
    byte @Nullable [] content() {
        return WITHOUT_BODY.contains(status) ? null : body;
    }

    /** The same with another status, from 200 to 599, which the body tells, too, unless it was replaced. */
    public Refusal withStatus(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("status: expected 200 to 599, was " + status);
        }
        return new Refusal(status, headers, told == null ? body : problem(told, status), told);
    }

    /** The same with this header field, in place of one of the same name. */
    public Refusal withHeader(String name, String value) {
        if (!TOKEN.matcher(name).matches() || !VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "not a header field: '" + name + ": " + value.replaceAll("\\p{Cntrl}", "?") + "'");
        }
        if (name.equalsIgnoreCase("Content-Length") || name.equalsIgnoreCase("Transfer-Encoding")) {
            throw new IllegalArgumentException(name + " follows from the body and cannot be set");
        }
        return with(name, value, body, told);
    }

    /** The same without this header field. */
    public Refusal withoutHeader(String name) {
        return with(name, null, body, told);
    }

    /** The same with this text as its body, in the type's charset or else UTF-8. */
    public Refusal withBody(MediaType type, String text) {
        Charset given = type.getCharset();
        Charset charset = given == null ? StandardCharsets.UTF_8 : given;
        MediaType full = given == null && type.getType().equals("text") ? new MediaType(type, charset) : type;
        return withBody(full, text.getBytes(charset));
    }

    /** The same with these bytes as its body. */
    public Refusal withBody(MediaType type, byte[] body) {
        if (!type.isConcrete()) {
            throw new IllegalArgumentException("the type of a body: expected one such as text/html, was " + type);
        }
        return with(CONTENT_TYPE, type.toString(), body.clone(), null);
    }

    private Refusal with(String name, @Nullable String value, byte[] body, @Nullable Verdict told) {
        Map<String, String> changed = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        changed.putAll(headers);
        changed.remove(name);
        if (value != null) {
            changed.put(name, value);
        }
        return new Refusal(status, changed, body, told);
    }

    @Override
    public String toString() {
        return status + " " + headers + " and a body of " + body.length + " bytes";
    }
}
