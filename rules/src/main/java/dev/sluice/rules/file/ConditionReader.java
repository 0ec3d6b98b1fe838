package dev.sluice.rules.file;

import dev.sluice.rules.Request;
import dev.sluice.rules.StatusConditions;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Glob;
import dev.sluice.rules.match.Pattern;
import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** Reads conditions on attributes: a value, a glob, a network, a list of these, or {@code not:} any of them. */
final class ConditionReader {
    private static final String NOT = "not";
    private static final String EXPECTED =
            "a value, a glob such as /api/**, a network such as 198.51.100.0/24, a list of these, or { not: … }";
    private static final String EXPECTED_NOT = "a value or a list of values";

    /** A slash, a wildcard, or what makes a wildcard an ordinary character. */
    private static final String START_OF_PATH = "/*?\\";

    /** What other frameworks write for a segment of any value. */
    private static final java.util.regex.Pattern VARIABLE = java.util.regex.Pattern.compile("\\{[^/]*}");

    private static final java.util.regex.Pattern STATUS =
            java.util.regex.Pattern.compile("[0-9?]{3}|[0-9?]*\\*[0-9?*]*");
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

    private ConditionReader() {}

    /** The condition of one field of a mapping; null, and a problem, if it is none. */
    static @Nullable Condition condition(YamlValue name, YamlValue value) {
        String attribute = attribute(name);
        String compared = attribute == null ? "" : attribute;
        List<Pattern> any = new ArrayList<>();
        List<Pattern> none = new ArrayList<>();
        List<YamlValue> written = value.listOrOne();
        for (YamlValue each : written) {
            if (each.isMapping()) {
                negated(compared, each, none);
            } else {
                pattern(compared, each, EXPECTED, any);
            }
        }
        if (written.isEmpty()) {
            value.problem("expected " + EXPECTED + ", was an empty list");
        }
        return attribute == null || (any.isEmpty() && none.isEmpty()) ? null : new Condition(attribute, any, none);
    }

    private static void negated(String attribute, YamlValue value, List<Pattern> none) {
        YamlFields fields = value.fields(EXPECTED, Set.of(NOT));
        YamlValue not = fields == null ? null : fields.required(NOT, EXPECTED_NOT);
        if (not == null) {
            return;
        }
        List<YamlValue> written = not.listOrOne();
        written.forEach(each -> pattern(attribute, each, "a value, a glob or a network", none));
        if (written.isEmpty()) {
            not.problem("expected " + EXPECTED_NOT + ", was an empty list");
        }
    }

    private static void pattern(String attribute, YamlValue value, String expected, List<Pattern> into) {
        String text = value.text(expected);
        if (text == null) {
            return;
        }
        String mistake = mistake(attribute, text);
        if (mistake != null) {
            value.problem("would never match: " + mistake + ", was " + Quoted.quoted(text));
            return;
        }
        try {
            Pattern pattern = Pattern.parse(attribute, text);
            boolean isInvalidIp = attribute.equals(Attributes.IP) && text.equals(Attributes.INVALID_IP);
            if (attribute.equals(Attributes.IP) && pattern instanceof Pattern.Exact && !isInvalidIp) {
                value.unexpected(
                        "an address such as 203.0.113.9, or a network such as 198.51.100.0/24 or 2001:db8::/32");
            } else if (pattern instanceof Pattern.Exact exact
                    && !Glob.parse(text).literal().equals(exact.value())) {
                value.problem("would never match: paths are compared in their normal form, "
                        + Quoted.quoted(exact.value()) + ", was " + Quoted.quoted(text));
            } else {
                into.add(pattern);
            }
        } catch (IllegalArgumentException e) {
            value.problem(String.valueOf(e.getMessage()));
        }
    }

    /** Why no value of this attribute matches a pattern; null if one may. */
    private static @Nullable String mistake(String attribute, String text) {
        return switch (attribute) {
            case Attributes.PATH -> mistakeInPath(text);
            case Attributes.METHOD -> mistakeInMethod(text);
            case StatusConditions.STATUS -> mistakeInStatus(text);
            default -> null;
        };
    }

    private static @Nullable String mistakeInPath(String text) {
        if (!text.isEmpty() && START_OF_PATH.indexOf(text.charAt(0)) < 0) {
            return "a path begins with '/'";
        }
        Matcher variable = VARIABLE.matcher(text);
        return variable.find()
                ? "a segment of any value is '*' here, and not " + Quoted.quoted(variable.group())
                : null;
    }

    private static @Nullable String mistakeInMethod(String text) {
        if (text.indexOf(',') >= 0) {
            return "several methods are a list, such as [GET, POST]";
        }
        String upper = text.toUpperCase(Locale.ROOT);
        return METHODS.contains(upper) && !upper.equals(text) ? "methods are in upper case, " + upper : null;
    }

    private static @Nullable String mistakeInStatus(String text) {
        if (text.indexOf(',') >= 0) {
            return "several statuses are a list, such as [401, 403]";
        }
        return STATUS.matcher(text).matches()
                ? null
                : "a status has three digits, such as 401, and 4* is any that begins with 4";
    }

    /** An attribute's name in lower case; null, and a problem, if it cannot be one. */
    static @Nullable String attribute(YamlValue value) {
        String name = value.text("attributes such as [ip]");
        if (name == null) {
            return null;
        }
        boolean spaced = name.chars().anyMatch(c -> c <= ' ' || c == 127);
        if (name.isEmpty() || name.length() > Request.MAX_NAME || spaced) {
            value.unexpected("the name of an attribute, such as ip, path or header.x-api-key");
            return null;
        }
        if (name.equals(NOT)) {
            value.problem("'not' stands within an attribute: path: { not: /health }");
            return null;
        }
        return name.toLowerCase(Locale.ROOT);
    }
}
