package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code /v1/rules}: the rules in force, their versions, and others in their place. */
final class RulesDesk {
    private static final String YAML = "application/yaml";

    private final RuleSource source;

    RulesDesk(RuleSource source) {
        this.source = source;
    }

    void handle(Exchange exchange) {
        String rest = String.join("/", exchange.path.subList(2, exchange.path.size()));
        if (rest.isEmpty()) {
            rules(exchange);
        } else if (rest.equals("rollback")) {
            rollBack(exchange);
        } else if (rest.equals("versions")) {
            versions(exchange);
        } else if (rest.matches("versions/[1-9]\\d{0,17}")) {
            version(exchange, Long.parseLong(rest.substring("versions/".length())));
        } else {
            exchange.notFound("there are /v1/rules, /v1/rules/versions, /v1/rules/versions/{n} and /v1/rules/rollback");
        }
    }

    private void rules(Exchange exchange) {
        if (exchange.isMethod("PUT")) {
            exchange.when(
                    Bodies.read(exchange.request, Bodies.YAML, RuleSource.MOST_BYTES),
                    body -> posted(exchange, put(exchange, body)));
        } else if (exchange.isRead()) {
            show(exchange, source.rules().version());
        } else {
            exchange.wrongMethod("GET, PUT");
        }
    }

    private CompletableFuture<RuleVersion> put(Exchange exchange, Buffer body) {
        String text;
        try {
            text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body.getBytes())).toString();
        } catch (CharacterCodingException e) {
            throw Exchange.bad("the rules are not in UTF-8");
        }
        return source.put(text, exchange.caller.toString(), ifMatch(exchange));
    }

    private void rollBack(Exchange exchange) {
        if (!exchange.isMethod("POST")) {
            exchange.wrongMethod("POST");
            return;
        }
        Long number = exchange.number("version");
        if (number == null) {
            throw Exchange.bad("say which version: /v1/rules/rollback?version=3");
        }
        posted(exchange, source.rollBack(number, exchange.caller.toString(), ifMatch(exchange)));
    }

    private void posted(Exchange exchange, CompletableFuture<RuleVersion> posted) {
        exchange.when(posted, version -> {
            exchange.request.response().putHeader("ETag", quoted(version));
            exchange.json(200, version.summary());
        });
    }

    private void versions(Exchange exchange) {
        if (!exchange.isRead()) {
            exchange.wrongMethod("GET");
            return;
        }
        exchange.when(source.versions(), versions -> {
            JsonArray all = new JsonArray();
            versions.forEach(version -> all.add(version.summary()));
            exchange.json(200, new JsonObject().put("versions", all));
        });
    }

    private void version(Exchange exchange, long number) {
        if (!exchange.isRead()) {
            exchange.wrongMethod("GET");
            return;
        }
        exchange.when(source.versions(), versions -> show(exchange, RuleSource.version(versions, number)));
    }

    /** As the file it is to those who ask for YAML, and to others with all that is known of it. */
    private void show(Exchange exchange, RuleVersion version) {
        exchange.request.response().putHeader("ETag", quoted(version)).putHeader("Vary", "Accept");
        String accept = exchange.request.getHeader("Accept");
        if (accept != null && accept.contains("yaml")) {
            Answers.send(exchange.request, 200, YAML, version.text());
            return;
        }
        JsonObject json = version.summary();
        RulesInForce rules = source.rules();
        if (version.equals(rules.version())) {
            RuleTrouble trouble = rules.trouble();
            json.put("lastError", trouble == null ? null : trouble.json());
            json.put("boardReachable", rules.isBoardReachable());
        }
        exchange.json(200, json.put("text", version.text()));
    }

    /** The version that the caller has seen; null if they do not say, or do not mind. */
    private static @Nullable String ifMatch(Exchange exchange) {
        String header = exchange.request.getHeader("If-Match");
        if (header == null || header.strip().equals("*")) {
            return null;
        }
        String tag = header.strip();
        return tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"")
                ? tag.substring(1, tag.length() - 1)
                : tag;
    }

    private static String quoted(RuleVersion version) {
        return "\"" + version.id() + "\"";
    }
}
