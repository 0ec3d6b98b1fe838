package dev.sluice.server.http;

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
 * Reads what nginx asks with {@code auth_request}: about another request, which header fields describe. One for each
 * event loop.
 *
 * <pre>
 *   X-Original-URI      path, without the query
 *   X-Original-Method   method
 *   X-Original-Host     host
 *   X-Real-IP           ip: whoever spoke to nginx; without it, whoever speaks to us
 *   X-Forwarded-For     ip, as far as that one and those before are trusted proxies
 *   any other           header.NAME, if a rule asks for it
 * </pre>
 *
 * A parameter in the query is an attribute, too, and goes before these: the configuration of nginx says so, and no client
 * can.
 */
final class NginxReader {
    private static final CharSequence URI = AsciiString.cached("x-original-uri");
    private static final CharSequence METHOD = AsciiString.cached("x-original-method");
    private static final CharSequence HOST = AsciiString.cached("x-original-host");
    private static final CharSequence REAL_IP = AsciiString.cached("x-real-ip");
    private static final CharSequence FORWARDED_FOR = AsciiString.cached("x-forwarded-for");
    private static final String HEADER = "header.";
    private static final Request NOTHING = Request.builder().build();

    private @Nullable RuleSet known;
    private List<String> asked = List.of();

    Request read(HttpServerRequest request, String query, RuleSet rules) {
        if (!rules.equals(known)) {
            known = rules;
            asked = headers(rules);
        }
        MultiMap fields = request.headers();
        Request.Builder about = Request.builder();
        Query.into(about, query);
        Request said = query.isEmpty() ? NOTHING : about.build();
        with(about, said, "path", fields.get(URI));
        with(about, said, "method", fields.get(METHOD));
        with(about, said, "host", fields.get(HOST));
        with(about, said, "ip", client(request, fields, rules.trustedProxies()));
        for (int i = 0; i < asked.size(); i++) {
            String name = asked.get(i);
            with(about, said, name, fields.get(name.substring(HEADER.length())));
        }
        return about.build();
    }

    private static void with(Request.Builder about, Request said, String name, @Nullable String value) {
        if (value != null && said.attribute(name) == null) {
            about.with(name, value);
        }
    }

    private static String client(HttpServerRequest request, MultiMap fields, TrustedProxies proxies) {
        String real = fields.get(REAL_IP);
        String nearest = real != null ? real : request.remoteAddress().hostAddress();
        return proxies.networks().isEmpty() && real != null
                ? real
                : ClientAddress.of(proxies, nearest, fields.getAll(FORWARDED_FOR));
    }

    /** The header fields that rules look at, as attributes. */
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
