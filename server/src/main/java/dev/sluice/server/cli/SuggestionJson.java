package dev.sluice.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.sluice.Durations;
import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.suggest.Assessment;
import dev.sluice.simulate.suggest.Effect;
import dev.sluice.simulate.suggest.ProposedRule;
import dev.sluice.simulate.suggest.SuggestOptions;
import dev.sluice.simulate.suggest.Suggestion;
import dev.sluice.simulate.suggest.WindowLimit;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;

/** A suggestion as JSON. */
final class SuggestionJson {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;

    private SuggestionJson(JsonGenerator json) {
        this.json = json;
    }

    /** The text of a suggestion, with an end of line at its end. */
    static String of(Suggestion suggestion) throws IOException {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(out).setPrettyPrinter(new DefaultPrettyPrinter())) {
            new SuggestionJson(generator).suggestion(suggestion);
        }
        return out + "\n";
    }

    private void suggestion(Suggestion suggestion) throws IOException {
        json.writeStartObject();
        log(suggestion.log());
        options(suggestion.options());
        json.writeNumberField("requests", suggestion.requests());
        json.writeNumberField("clients", suggestion.clients());
        json.writeStringField("first", suggestion.first().toString());
        json.writeStringField("last", suggestion.last().toString());
        json.writeArrayFieldStart("groups");
        for (Suggestion.Group group : suggestion.groups()) {
            json.writeStartObject();
            json.writeStringField("behaviour", group.behaviour().text());
            json.writeBooleanField("leftOut", group.behaviour().isLeftOut());
            json.writeNumberField("clients", group.clients());
            json.writeNumberField("requests", group.requests());
            json.writeEndObject();
        }
        json.writeEndArray();
        clients("leftOut", suggestion.leftOut());
        clients("largestKept", suggestion.kept());
        json.writeArrayFieldStart("windows");
        for (WindowLimit window : suggestion.windows()) {
            json.writeStartObject();
            window(window);
            effect("cuts", window.effect());
            json.writeEndObject();
        }
        json.writeEndArray();
        rules(suggestion);
        texts("notes", suggestion.notes());
        json.writeEndObject();
    }

    private void log(LogSummary log) throws IOException {
        json.writeObjectFieldStart("log");
        json.writeNumberField("lines", log.lines());
        json.writeNumberField("requests", log.entries());
        json.writeNumberField("wrong", log.wrong());
        texts("firstWrong", log.firstWrong().stream().map(Object::toString).toList());
        json.writeNumberField("backwards", log.backwards());
        texts("notes", log.notes());
        json.writeEndObject();
    }

    private void options(SuggestOptions options) throws IOException {
        texts("key", options.key());
        json.writeNumberField("keep", options.keepMillionths() / 1_000_000.0);
        json.writeStringField("of", options.of().name().toLowerCase(Locale.ROOT));
    }

    private void clients(String name, List<Assessment> clients) throws IOException {
        json.writeArrayFieldStart(name);
        for (Assessment client : clients) {
            json.writeStartObject();
            json.writeStringField("key", client.key());
            json.writeStringField("behaviour", client.behaviour().text());
            json.writeNumberField("requests", client.requests());
            json.writeNumberField("mostInMinute", client.mostInMinute());
            json.writeStringField("reason", client.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void window(WindowLimit window) throws IOException {
        json.writeStringField("window", Durations.text(window.window()));
        json.writeNumberField("limit", window.permits());
        json.writeNumberField("low", window.low());
        json.writeNumberField("high", window.high());
        json.writeNumberField("parts", window.parts());
        json.writeNumberField("burst", window.burst());
    }

    private void rules(Suggestion suggestion) throws IOException {
        json.writeArrayFieldStart("rules");
        for (ProposedRule rule : suggestion.rules()) {
            json.writeStartObject();
            json.writeStringField("name", rule.name());
            json.writeStringField("method", rule.method());
            json.writeStringField("path", rule.path());
            json.writeStringField("limit", rule.limit());
            json.writeStringField("reason", rule.reason());
            json.writeObjectFieldStart("needed");
            window(rule.found());
            json.writeEndObject();
            effect("cuts", rule.effect());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeStringField("ruleFile", suggestion.ruleFile());
        effect("together", suggestion.together());
    }

    private void effect(String name, Effect effect) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("leftOutRequests", effect.leftOutRequests());
        json.writeNumberField("leftOutClients", effect.leftOutClients());
        json.writeNumberField("keptRequests", effect.keptRequests());
        json.writeNumberField("keptClients", effect.keptClients());
        json.writeEndObject();
    }

    private void texts(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
