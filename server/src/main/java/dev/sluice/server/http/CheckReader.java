package dev.sluice.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sluice.Limit;
import dev.sluice.rules.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is posted to {@code /v1/check}: one check, or a list of them.
 *
 * <pre>{@code {"attributes": {"ip": "203.0.113.9", "path": "/login"}, "cost": 1, "leaseMs": 30000}}</pre>
 */
final class CheckReader {
    /** What was asked for; one check unless it is a list. */
    record Checks(boolean list, List<Check> all) {}

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(8)
                    .maxStringLength(64 << 10)
                    .maxNameLength(8 << 10)
                    .maxNumberLength(100)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final JsonParser parser;
    private final int most;

    private CheckReader(JsonParser parser, int most) {
        this.parser = parser;
        this.most = most;
    }

    /** Reads a body that may hold a list of {@code most} checks. */
    static Checks read(byte[] body, int most) {
        try (JsonParser parser = JSON.createParser(body)) {
            return new CheckReader(parser, most).checks();
        } catch (JsonProcessingException e) {
            throw Refusal.bad("the body is not JSON" + at(e.getLocation()) + ": " + firstLine(e.getOriginalMessage()));
        } catch (IllegalArgumentException e) {
            throw Refusal.bad(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw Refusal.bad("the body is not JSON in UTF-8: " + firstLine(String.valueOf(e.getMessage())));
        }
    }

    private Checks checks() throws IOException {
        JsonToken first = parser.nextToken();
        Checks checks;
        if (first == JsonToken.START_ARRAY) {
            checks = new Checks(true, list());
        } else if (first == JsonToken.START_OBJECT) {
            checks = new Checks(false, List.of(check("")));
        } else {
            throw Refusal.bad("the body must be an object like {\"attributes\": {\"ip\": \"203.0.113.9\"}}, or a list"
                    + " of such, was " + (first == null ? "empty" : was()));
        }
        if (parser.nextToken() != null) {
            throw Refusal.bad("after the check there is more" + at(parser.currentTokenLocation()) + ": " + was());
        }
        return checks;
    }

    private List<Check> list() throws IOException {
        List<Check> all = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            String where = "[" + all.size() + "]";
            if (all.size() == most) {
                throw new Refusal(413, "a list holds at most " + most + " checks");
            }
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw Refusal.bad(where + " must be an object with attributes, was " + was());
            }
            all.add(check(where + "."));
        }
        if (all.isEmpty()) {
            throw Refusal.bad("the list of checks is empty");
        }
        return all;
    }

    private Check check(String where) throws IOException {
        Request.Builder request = null;
        long cost = 1;
        long leaseMillis = Check.USUAL_LEASE_MILLIS;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "attributes" -> request = attributes(where);
                case "cost" -> cost = number(where + "cost", 0, Limit.MAX_PERMITS);
                case "leaseMs" -> leaseMillis = number(where + "leaseMs", 1, Check.LONGEST_LEASE_MILLIS);
                default ->
                    throw Refusal.bad("there is no member " + Refusal.shown(where + name)
                            + "; there are attributes, cost and leaseMs");
            }
        }
        if (request == null) {
            throw Refusal.bad(where + "attributes is missing");
        }
        return new Check(request.cost(cost).build(), leaseMillis);
    }

    private Request.Builder attributes(String where) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw Refusal.bad(where + "attributes must be an object, was " + was());
        }
        Request.Builder request = Request.builder();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                throw Refusal.bad(where + "attributes: " + Refusal.shown(name) + " must be a string, was " + was());
            }
            request.with(name, parser.getText());
        }
        return request;
    }

    private long number(String name, long least, long most) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = parser.getLongValue();
            if (value >= least && value <= most) {
                return value;
            }
        }
        throw Refusal.bad(name + " must be a whole number from " + least + " to " + most + ", was " + was());
    }

    /** The value that was found, for a message. */
    private String was() throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> Refusal.shown(parser.getText());
            default -> cut(String.valueOf(parser.getText()));
        };
    }

    private static String cut(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }

    private static String at(@Nullable JsonLocation location) {
        return location == null ? "" : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("it cannot be read");
    }
}
