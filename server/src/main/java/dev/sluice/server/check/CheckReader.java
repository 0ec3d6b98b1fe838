package dev.sluice.server.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.server.web.HttpProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of {@code POST /v1/check}: one check, or a list of checks.
 *
 * <pre>{@code {"attributes": {"ip": "203.0.113.9", "path": "/login"}, "cost": 1, "leaseMs": 30000}}</pre>
 */
final class CheckReader {
    /** The checks of a body; one unless it is a list. */
    record Checks(boolean list, List<CheckRequest> all) {}

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(8)
                    .maxStringLength(1 << 20)
                    .maxNameLength(8 << 10)
                    .maxNumberLength(100)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final JsonParser parser;
    private final int maxChecks;

    private CheckReader(JsonParser parser, int maxChecks) {
        this.parser = parser;
        this.maxChecks = maxChecks;
    }

    /** Reads a body with one check or a list of at most {@code maxChecks}. */
    static Checks read(byte[] body, int maxChecks) {
        try (JsonParser parser = JSON.createParser(body)) {
            return new CheckReader(parser, maxChecks).checks();
        } catch (JsonProcessingException e) {
            throw HttpProblem.badRequest(
                    "the body is not JSON" + at(e.getLocation()) + ": " + firstLine(e.getOriginalMessage()));
        } catch (IllegalArgumentException e) {
            throw HttpProblem.badRequest(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw HttpProblem.badRequest("the body is not JSON in UTF-8: " + firstLine(String.valueOf(e.getMessage())));
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
            throw HttpProblem.badRequest(
                    "the body must be an object like {\"attributes\": {\"ip\": \"203.0.113.9\"}}, or a list"
                            + " of such, was " + (first == null ? "empty" : was()));
        }
        if (parser.nextToken() != null) {
            throw HttpProblem.badRequest(
                    "after the check there is more" + at(parser.currentTokenLocation()) + ": " + was());
        }
        return checks;
    }

    private List<CheckRequest> list() throws IOException {
        List<CheckRequest> all = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            String where = "[" + all.size() + "]";
            if (all.size() == maxChecks) {
                throw HttpProblem.of(413, "a list has at most " + maxChecks + " checks");
            }
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw HttpProblem.badRequest(where + " must be an object with attributes, was " + was());
            }
            all.add(check(where + "."));
        }
        if (all.isEmpty()) {
            throw HttpProblem.badRequest("the list of checks is empty");
        }
        return all;
    }

    private CheckRequest check(String where) throws IOException {
        Request.Builder request = null;
        long cost = 1;
        long leaseMillis = CheckRequest.NO_LEASE;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            switch (name) {
                case "attributes" -> request = attributes(where);
                case "cost" -> cost = number(where + "cost", 0, Limit.MAX_PERMITS);
                case "leaseMs" -> leaseMillis = number(where + "leaseMs", 1, CheckRequest.MAX_LEASE_MILLIS);
                default ->
                    throw HttpProblem.badRequest("there is no member " + HttpProblem.quoted(where + name)
                            + "; there are attributes, cost and leaseMs");
            }
        }
        if (request == null) {
            throw HttpProblem.badRequest(where + "attributes is missing");
        }
        return new CheckRequest(request.cost(cost).build(), leaseMillis);
    }

    private Request.Builder attributes(String where) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw HttpProblem.badRequest(where + "attributes must be an object, was " + was());
        }
        Request.Builder request = Request.builder();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                throw HttpProblem.badRequest(
                        where + "attributes: " + HttpProblem.quoted(name) + " must be a string, was " + was());
            }
            request.with(name, parser.getText());
        }
        return request;
    }

    private long number(String name, long min, long max) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = parser.getLongValue();
            if (value >= min && value <= max) {
                return value;
            }
        }
        throw HttpProblem.badRequest(name + " must be a whole number from " + min + " to " + max + ", was " + was());
    }

    /** The current value, for a message. */
    private String was() throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> HttpProblem.quoted(parser.getText());
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
