package dev.sluice.server.check;

import dev.sluice.rules.ClientAddress;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleOverride;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.match.Condition;
import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a subrequest of nginx's {@code auth_request}, whose header fields describe the request that nginx asks about.
 * One for each event loop.
 *
 * <pre>
 *   X-Original-URI      path, without the query
 *   X-Original-Method   method
 *   X-Original-Host     host
 *   X-Real-IP           ip: the client of nginx; without it, the client of this connection
 *   X-Forwarded-For     ip, as far as that client and those before it are trusted proxies
 *   any other           header.NAME, if a rule uses it
 * </pre>
 *
 * A query parameter is an attribute too and goes before these: it comes from the configuration of nginx.
 */
final class NginxReader {
    private static final CharSequence URI = AsciiString.cached("x-original-uri");
    private static final CharSequence METHOD = AsciiString.cached("x-original-method");
    private static final CharSequence HOST = AsciiString.cached("x-original-host");
    private static final CharSequence REAL_IP = AsciiString.cached("x-real-ip");
    private static final CharSequence FORWARDED_FOR = AsciiString.cached("x-forwarded-for");
    private static final String HEADER = "header.";
    private static final Request NOTHING = Request.builder().build();

    private @Nullable RuleSet current;
    private List<String> headers = List.of();

    Request read(HttpServerRequest request, String query, RuleSet rules) {
        if (!rules.equals(current)) {
            current = rules;
            headers = headers(rules);
        }
        MultiMap fields = request.headers();
        Request.Builder builder = Request.builder();
        QueryReader.into(builder, query);
        Request given = query.isEmpty() ? NOTHING : builder.build();
        with(builder, given, "path", fields.get(URI));
        with(builder, given, "method", fields.get(METHOD));
        with(builder, given, "host", fields.get(HOST));
        with(builder, given, "ip", client(request, fields, rules.trustedProxies()));
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.get(i);
            with(builder, given, name, fields.get(name.substring(HEADER.length())));
        }
        return builder.build();
    }

    private static void with(Request.Builder builder, Request given, String name, @Nullable String value) {
        if (value != null && given.attribute(name) == null) {
            builder.with(name, value);
        }
    }

    private static String client(HttpServerRequest request, MultiMap fields, TrustedProxies proxies) {
        String real = fields.get(REAL_IP);
        String nearest = real != null ? real : request.remoteAddress().hostAddress();
        return proxies.networks().isEmpty() && real != null
                ? real
                : ClientAddress.of(proxies, nearest, fields.getAll(FORWARDED_FOR));
    }

    /** The header fields that rules use, as names of attributes. */
    private static List<String> headers(RuleSet rules) {
        return rules.rules().stream()
                .flatMap(NginxReader::attributes)
                .filter(name -> name.startsWith(HEADER))
                .distinct()
                .toList();
    }

    private static Stream<String> attributes(Rule rule) {
        Stream<Condition> conditions = Stream.concat(
                rule.when().stream(),
                rule.overrides().stream().map(RuleOverride::when).flatMap(List::stream));
        return Stream.concat(rule.key().stream(), conditions.map(Condition::attribute));
    }
}
