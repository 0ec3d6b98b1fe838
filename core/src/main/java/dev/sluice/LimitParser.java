package dev.sluice;

import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads limits as people write them: as one text, for which {@link Limit#parse} is the short way, and field by field, as
 * configuration files have them.
 *
 * <pre>
 * PERMITS per PERIOD [ALGORITHM] [OPTION=VALUE | FLAG]...     100 per 1d fixed-window aligned=Europe/Berlin
 * PERMITS at once                                             20 at once
 * </pre>
 */
public final class LimitParser {
    /** What a message says was expected in place of a text that is no limit. */
    public static final String EXPECTED =
            "a limit such as '5 per 1m', '100 per 1d fixed-window aligned=UTC' or '20 at once'";

    /** The longest text. */
    private static final int MAX_LENGTH = 1000;

    private static final Pattern WORD = Pattern.compile("\\S+", Pattern.UNICODE_CHARACTER_CLASS);

    private LimitParser() {}

    /** The names of the fields that {@link #parse(Map)} knows. */
    public static List<String> fields() {
        List<String> fields = new ArrayList<>(List.of(LimitSpec.PERMITS, LimitSpec.PER, LimitSpec.ALGORITHM));
        fields.addAll(LimitSpec.allOptions());
        return fields;
    }

    /**
     * Reads a limit field by field: {@code permits}, {@code per}, {@code algorithm}, and the options by their names.
     *
     * @throws LimitSyntaxException if this is no limit
     */
    public static Limit parse(Map<String, String> fields) {
        LimitSpec spec = new LimitSpec();
        fields.forEach((name, text) -> spec.set(name, new LimitSpec.Part(name, text, 0)));
        Limit limit = spec.build();
        if (limit == null) {
            throw LimitSyntaxException.of(spec.problems());
        }
        return limit;
    }

    /**
     * Reads a limit.
     *
     * @param expected what the message says was expected in place of a text that has not the form of a limit
     * @throws LimitSyntaxException if this is no limit
     */
    public static Limit parse(String text, String expected) {
        LimitSpec spec = new LimitSpec();
        if (text.length() > MAX_LENGTH) {
            spec.problem(
                    "",
                    0,
                    "expected " + expected + ", of at most " + MAX_LENGTH + " characters, were " + text.length());
            throw LimitSyntaxException.of(text, spec.problems());
        }
        List<MatchResult> words = WORD.matcher(text).results().toList();
        if (isRate(words)) {
            spec.set(LimitSpec.PER, part(LimitSpec.PER, words.get(2)));
        } else if (isAtOnce(words)) {
            spec.set(
                    LimitSpec.ALGORITHM,
                    new LimitSpec.Part("", Limit.concurrency(1).algorithm(), 0));
        } else {
            int at = words.size() > 1 ? words.get(1).start() : 0;
            spec.problem("", at, "expected " + expected + ", was " + Quoted.quoted(text));
            throw LimitSyntaxException.of(text, spec.problems());
        }
        spec.set(LimitSpec.PERMITS, part(LimitSpec.PERMITS, words.get(0)));
        for (int i = 3; i < words.size(); i++) {
            readOption(spec, words.get(i), i == 3 && isRate(words));
        }
        Limit limit = spec.build();
        if (limit == null) {
            throw LimitSyntaxException.of(text, spec.problems());
        }
        return limit;
    }

    private static boolean isRate(List<MatchResult> words) {
        return words.size() >= 3 && words.get(1).group().equals("per");
    }

    private static boolean isAtOnce(List<MatchResult> words) {
        return words.size() >= 3
                && words.get(1).group().equals("at")
                && words.get(2).group().equals("once");
    }

    private static void readOption(LimitSpec spec, MatchResult word, boolean orAlgorithm) {
        String text = word.group();
        int equals = text.indexOf('=');
        String name = equals < 0 ? text : text.substring(0, equals);
        String value = equals < 0 ? "" : text.substring(equals + 1);
        if (equals < 0 && orAlgorithm && !LimitSpec.isFlag(name)) {
            spec.set(LimitSpec.ALGORITHM, part(LimitSpec.ALGORITHM, word));
        } else if (value.isEmpty() && (equals >= 0 || LimitSpec.needsValue(name))) {
            spec.problem(name, word.start(), "expected option=value, was " + Quoted.quoted(text));
        } else {
            spec.option(name, new LimitSpec.Part(name, value, word.start()));
        }
    }

    private static LimitSpec.Part part(String field, MatchResult word) {
        return new LimitSpec.Part(field, word.group(), word.start());
    }
}
