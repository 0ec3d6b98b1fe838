package dev.sluice.server.check;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.ClientAddress;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.match.Attributes;
import dev.sluice.server.web.Exchange;
import dev.sluice.server.web.HttpProblem;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a subrequest of nginx's {@code auth_request}, whose header fields describe the request that nginx asks about.
 * One for each event loop.
 *
 * <pre>
 *   X-Original-URI         path, without the query
 *   X-Original-Method      method
 *   X-Original-Host        host
 *   X-Real-IP              ip: the client of nginx; without it, the client of this connection
 *   X-Forwarded-For        ip, as far as that client and those before it are trusted proxies
 *   Sluice-Cost            the cost, from 1
 *   Sluice-Attribute-NAME  the attribute NAME, if a rule uses it
 *   any other              header.NAME, if a rule uses it
 * </pre>
 *
 * <p>Each attribute has this one source. A query is refused, since nginx writes variables into it as the client wrote them.
 * A field that is there twice is refused, since one of the two may be the client's; of X-Forwarded-For and of any other
 * all values count.
 */
final class NginxReader {
    private static final String ATTRIBUTE = "Sluice-Attribute-";
    private static final String HEADER = "header.";

    /** How often a field may be there. */
    private enum Times {
        NEVER,
        ONCE,
        ANY
    }

    /** A header field, and its value in the request that is being read. */
    private static final class Field {
        private final String name;
        private final AsciiString ascii;
        private final Times times;
        private @Nullable String value;

        Field(String name, Times times) {
            this.name = name;
            this.ascii = new AsciiString(name);
            this.times = times;
        }

        void add(String more) {
            if (times == Times.NEVER) {
                throw HttpProblem.badRequest(name + " is not read: this attribute comes from a field of its own");
            }
            if (value != null && times == Times.ONCE) {
                throw HttpProblem.badRequest(name + " is there twice, as " + HttpProblem.quoted(value) + " and "
                        + HttpProblem.quoted(more) + "; one of the two may be the client's");
            }
            value = value == null ? more : value + ", " + more;
        }
    }

    /** An attribute and the field that it is read from. */
    private record Source(String attribute, Field field) {}

    private final Field uri = new Field("X-Original-URI", Times.ONCE);
    private final Field method = new Field("X-Original-Method", Times.ONCE);
    private final Field host = new Field("X-Original-Host", Times.ONCE);
    private final Field realIp = new Field("X-Real-IP", Times.ONCE);
    private final Field forwardedFor = new Field("X-Forwarded-For", Times.ANY);
    private final Field cost = new Field("Sluice-Cost", Times.ONCE);
    private Field[] fields = {};
    /** The fields by the length of their names, so that most names are compared with none. */
    private Field[][] byLength = {};

    private List<Source> sources = List.of();
    private @Nullable RuleSet current;

    /** {@code query} is empty, or begins with a question mark. */
    Request read(Exchange exchange, String query, RuleSet rules) {
        if (query.length() > 1) {
            throw HttpProblem.badRequest(
                    "/nginx takes no query, since nginx writes variables into it as the client wrote"
                            + " them, was " + HttpProblem.quoted(query.substring(1))
                            + "; send attributes as header fields such as "
                            + ATTRIBUTE + "User");
        }
        if (!rules.equals(current)) {
            use(rules);
            current = rules;
        }
        for (Field field : fields) {
            field.value = null;
        }
        if (exchange.headers() instanceof HttpHeaders head) { // of HTTP/1.1; then only what is needed becomes a string
            for (Iterator<Map.Entry<CharSequence, CharSequence>> all = head.iteratorCharSequence(); all.hasNext(); ) {
                Map.Entry<CharSequence, CharSequence> each = all.next();
                take(each.getKey(), each.getValue());
            }
        } else {
            exchange.headers().forEach(this::take);
        }
        if (uri.value == null) {
            throw HttpProblem.badRequest(
                    uri.name + " is missing; expected proxy_set_header " + uri.name + " $request_uri;");
        }
        Request.Builder builder = Request.builder().with(Attributes.IP, client(exchange, rules.trustedProxies()));
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            String value = source.field.value;
            if (value != null) {
                builder.with(source.attribute, value);
            }
        }
        String permits = cost.value;
        return (permits == null ? builder : builder.cost(QueryReader.cost(cost.name, permits, 1))).build();
    }

    private void take(CharSequence name, CharSequence value) {
        if (name.length() < byLength.length) {
            for (Field field : byLength[name.length()]) {
                if (field.ascii.contentEqualsIgnoreCase(name)) {
                    field.add(text(value.toString()));
                    return;
                }
            }
        }
    }

    private String client(Exchange exchange, TrustedProxies proxies) {
        String real = realIp.value;
        String nearest = real != null ? real : exchange.clientAddress();
        String forwarded = forwardedFor.value;
        return forwarded == null ? nearest : ClientAddress.of(proxies, nearest, List.of(forwarded));
    }

    /** Finds out which fields these rules need. */
    private void use(RuleSet rules) {
        Map<String, Field> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Field field : List.of(uri, method, host, realIp, forwardedFor, cost)) {
            byName.put(field.name, field);
        }
        for (String attribute : List.of(Attributes.PATH, Attributes.METHOD, Attributes.HOST, Attributes.IP, "cost")) {
            byName.put(ATTRIBUTE + attribute, new Field(ATTRIBUTE + attribute, Times.NEVER));
        }
        List<Source> all = new ArrayList<>();
        all.add(new Source(Attributes.PATH, uri));
        all.add(new Source(Attributes.METHOD, method));
        all.add(new Source(Attributes.HOST, host));
        List<String> others = rules.rules().stream()
                .flatMap(Rule::attributes)
                .filter(name -> all.stream().noneMatch(source -> source.attribute.equals(name)))
                .filter(name -> !name.equals(Attributes.IP))
                .distinct()
                .toList();
        for (String attribute : others) {
            boolean isHeader = attribute.startsWith(HEADER);
            String name = isHeader ? attribute.substring(HEADER.length()) : ATTRIBUTE + attribute;
            Times times = isHeader ? Times.ANY : Times.ONCE;
            all.add(new Source(attribute, byName.computeIfAbsent(name, unknown -> new Field(unknown, times))));
        }
        sources = all;
        fields = byName.values().toArray(Field[]::new);
        int longest = byName.keySet().stream().mapToInt(String::length).max().orElse(0);
        byLength = IntStream.rangeClosed(0, longest)
                .mapToObj(length -> byName.values().stream()
                        .filter(field -> field.name.length() == length)
                        .toArray(Field[]::new))
                .toArray(Field[][]::new);
    }

    /** A field in UTF-8, if it is: fields are handed over as ISO 8859-1. */
    private static String text(String value) {
        int ascii = 0;
        while (ascii < value.length() && value.charAt(ascii) < 0x80) {
            ascii++;
        }
        if (ascii == value.length()) {
            return value;
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes(ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return value;
        }
    }
}
