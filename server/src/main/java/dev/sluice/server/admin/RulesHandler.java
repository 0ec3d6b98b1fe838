package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.RejectedRules;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.ruleset.RuleVersion;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code /v1/rules}: shows, checks, tries and changes the rules in force, and shows their versions. */
final class RulesHandler {
    private final RuleUpdater updater;
    private final RuleEngine engine;
    private final TrialHandler trial;
    private final String store;

    /** With the URL of the store, without its password. */
    RulesHandler(RuleUpdater updater, RuleEngine engine, TrialHandler trial, String store) {
        this.trial = trial;
        this.updater = updater;
        this.engine = engine;
        this.store = store;
    }

    void handle(AdminRequest request) {
        String rest = String.join("/", request.path.subList(2, request.path.size()));
        if (rest.isEmpty()) {
            rules(request);
        } else if (rest.equals("rollback")) {
            rollBack(request);
        } else if (rest.equals("check")) {
            trial.check(request);
        } else if (rest.equals("try")) {
            trial.run(request);
        } else if (rest.equals("versions")) {
            versions(request);
        } else if (rest.matches("versions/[1-9]\\d{0,17}")) {
            version(request, Long.parseLong(rest.substring("versions/".length())));
        } else {
            request.notFound("there are /v1/rules, /v1/rules/check, /v1/rules/try, /v1/rules/versions,"
                    + " /v1/rules/versions/{n} and /v1/rules/rollback");
        }
    }

    private void rules(AdminRequest request) {
        if (request.isMethod("PUT")) {
            request.body(AdminRequest.YAML, RuleFile.MAX_BYTES, body -> published(request, put(request, body)));
        } else if (!request.isRead()) {
            request.wrongMethod("GET, PUT");
        } else if (request.parameter("compiled") != null) {
            compiled(request);
        } else {
            show(request, updater.active().version());
        }
    }

    /** The rules as the engine has them, with every default, and what is in force for single keys. */
    private void compiled(AdminRequest request) {
        RuleVersion version = updater.active().version();
        JsonArray overrides = new JsonArray();
        updater.overrides().list().forEach(override -> overrides.add(override.json()));
        request.http.response().putHeader("ETag", etag(version));
        request.json(
                200,
                RuleJson.of(engine.rules())
                        .put("version", version.number())
                        .put("store", store)
                        .put("temporaryOverrides", overrides));
    }

    private CompletableFuture<RuleVersion> put(AdminRequest request, Buffer body) {
        return updater.put(text(body), request.caller.toString(), ifMatch(request));
    }

    /** The text of a rule file; an {@link dev.sluice.server.web.HttpProblem} if it is none. */
    static String text(Buffer body) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(body.getBytes())).toString();
        } catch (CharacterCodingException e) {
            throw AdminRequest.badRequest("the rules are not in UTF-8");
        }
    }

    private void rollBack(AdminRequest request) {
        if (!request.isMethod("POST")) {
            request.wrongMethod("POST");
            return;
        }
        Long number = request.number("version");
        if (number == null) {
            throw AdminRequest.badRequest("say which version: /v1/rules/rollback?version=3");
        }
        published(request, updater.rollBack(number, request.caller.toString(), ifMatch(request)));
    }

    private void published(AdminRequest request, CompletableFuture<RuleVersion> published) {
        request.when(published, version -> {
            request.http.response().putHeader("ETag", etag(version));
            request.json(200, withWarnings(version.summary(), version));
        });
    }

    /** Adds what in the rules in force has no effect. */
    private JsonObject withWarnings(JsonObject json, RuleVersion version) {
        ActiveRules active = updater.active();
        return version.equals(active.version()) ? json.put("warnings", new JsonArray(active.warnings())) : json;
    }

    private void versions(AdminRequest request) {
        if (!request.isRead()) {
            request.wrongMethod("GET");
            return;
        }
        request.when(updater.versions(), versions -> {
            JsonArray all = new JsonArray();
            versions.forEach(version -> all.add(version.summary()));
            request.json(200, new JsonObject().put("versions", all));
        });
    }

    private void version(AdminRequest request, long number) {
        if (!request.isRead()) {
            request.wrongMethod("GET");
            return;
        }
        request.when(updater.versions(), versions -> show(request, RuleUpdater.version(versions, number)));
    }

    /** Sends the file itself if the client accepts YAML, and else JSON with everything that is known of the version. */
    private void show(AdminRequest request, RuleVersion version) {
        request.http.response().putHeader("ETag", etag(version)).putHeader("Vary", "Accept");
        String accept = request.http.getHeader("Accept");
        if (accept != null && accept.contains("yaml")) {
            request.send(200, AdminRequest.YAML.get(0), version.text());
            return;
        }
        JsonObject json = version.summary();
        ActiveRules active = updater.active();
        if (version.equals(active.version())) {
            RejectedRules rejected = active.rejected();
            json.put("lastError", rejected == null ? null : rejected.json());
            json.put("sharingReachable", active.isSharingReachable());
            withWarnings(json, version);
        }
        request.json(200, json.put("text", version.text()));
    }

    /** The id of the version that the caller has seen; null if they do not say, or accept any. */
    private static @Nullable String ifMatch(AdminRequest request) {
        String header = request.http.getHeader("If-Match");
        if (header == null || header.strip().equals("*")) {
            return null;
        }
        String tag = header.strip();
        return tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"")
                ? tag.substring(1, tag.length() - 1)
                : tag;
    }

    private static String etag(RuleVersion version) {
        return "\"" + version.id() + "\"";
    }
}
