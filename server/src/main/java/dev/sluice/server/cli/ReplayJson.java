package dev.sluice.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.replay.ReplayReport;
import dev.sluice.simulate.replay.ReplayResult;
import dev.sluice.simulate.replay.RuleResult;
import dev.sluice.simulate.replay.Series;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** A replay as JSON. */
final class ReplayJson {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;

    private ReplayJson(JsonGenerator json) {
        this.json = json;
    }

    /** The text of a report, with an end of line at its end. */
    static String of(ReplayReport report) throws IOException {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(out).setPrettyPrinter(new DefaultPrettyPrinter())) {
            new ReplayJson(generator).report(report);
        }
        return out + "\n";
    }

    private void report(ReplayReport report) throws IOException {
        json.writeStartObject();
        log(report.log());
        json.writeFieldName("result");
        result(report.result());
        if (report.other().isPresent()) {
            json.writeFieldName("compared");
            result(report.other().get());
            json.writeObjectFieldStart("change");
            number("denied", report.change().denied());
            number("allowed", report.change().allowed());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void log(LogSummary log) throws IOException {
        json.writeObjectFieldStart("log");
        json.writeArrayFieldStart("files");
        for (LogSummary.FileFormat file : log.files()) {
            json.writeStartObject();
            json.writeStringField("name", file.file());
            json.writeStringField("format", file.format());
            json.writeEndObject();
        }
        json.writeEndArray();
        number("lines", log.lines());
        number("requests", log.entries());
        number("wrong", log.wrong());
        texts("firstWrong", log.firstWrong().stream().map(Object::toString).toList());
        number("backwards", log.backwards());
        number("furthestBackMicros", log.furthestBackMicros());
        json.writeStringField("firstBackwards", log.firstBackwards());
        texts("notes", log.notes());
        json.writeEndObject();
    }

    private void result(ReplayResult result) throws IOException {
        json.writeStartObject();
        json.writeStringField("rules", result.name());
        number("requests", result.requests());
        time("first", result.firstMicros());
        time("last", result.lastMicros());
        number("allowed", result.allowed());
        number("denied", result.denied());
        number("degraded", result.degraded());
        number("waited", result.waited());
        number("atBound", result.atBound());
        json.writeArrayFieldStart("byRule");
        for (RuleResult rule : result.rules()) {
            rule(rule);
        }
        json.writeEndArray();
        series(result.series());
        json.writeEndObject();
    }

    private void rule(RuleResult rule) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", rule.name());
        json.writeStringField("summary", rule.summary());
        json.writeStringField("onExceed", rule.action().name().toLowerCase(Locale.ROOT));
        number("matched", rule.matched());
        number("allowed", rule.allowed());
        number("denied", rule.denied());
        number("shed", rule.shed());
        number("degraded", rule.degraded());
        number("shadowed", rule.shadowed());
        number("waited", rule.waited());
        number("totalWaitMicros", rule.totalWaitMicros());
        number("longestWaitMicros", rule.longestWaitMicros());
        number("keys", rule.keys());
        number("keysHit", rule.keysHit());
        json.writeBooleanField("complete", rule.complete());
        json.writeArrayFieldStart("top");
        for (RuleResult.Key key : rule.top()) {
            json.writeStartObject();
            json.writeStringField("key", key.key());
            number("requests", key.requests());
            number("stopped", key.stopped());
            number("waited", key.waited());
            number("mostInMinute", key.mostInMinute());
            json.writeEndObject();
        }
        json.writeEndArray();
        moments(rule.worst());
        rates(rule.rates());
        series(rule.series());
        json.writeEndObject();
    }

    private void moments(List<RuleResult.Moment> moments) throws IOException {
        json.writeArrayFieldStart("worstMinutes");
        for (RuleResult.Moment moment : moments) {
            json.writeStartObject();
            time("start", moment.startMicros());
            number("stopped", moment.stopped());
            json.writeStringField("key", moment.key());
            number("ofKey", moment.ofKey());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void rates(List<RuleResult.Rate> rates) throws IOException {
        json.writeArrayFieldStart("keysByRate");
        for (RuleResult.Rate rate : rates) {
            json.writeStartObject();
            number("fromPerMinute", rate.from());
            number("keys", rate.keys());
            number("hit", rate.hit());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void series(Series series) throws IOException {
        json.writeObjectFieldStart("series");
        time("start", Math.max(0, series.startMicros()));
        number("widthMicros", series.widthMicros());
        long[] requests = new long[series.slots()];
        long[] stopped = new long[series.slots()];
        long[] waited = new long[series.slots()];
        for (int i = 0; i < series.slots(); i++) {
            requests[i] = series.requests(i);
            stopped[i] = series.stopped(i);
            waited[i] = series.waited(i);
        }
        numbers("requests", requests);
        numbers("stopped", stopped);
        numbers("waited", waited);
        json.writeEndObject();
    }

    private void numbers(String name, long[] numbers) throws IOException {
        json.writeFieldName(name);
        json.writeArray(numbers, 0, numbers.length);
    }

    private void number(String name, long number) throws IOException {
        json.writeNumberField(name, number);
    }

    private void time(String name, long micros) throws IOException {
        json.writeStringField(
                name, Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString());
    }

    private void texts(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
