package dev.sluice.simulate;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The words of a picture, in one language. A text may hold placeholders such as {@code {period}}.
 *
 * <p>A page that speaks another language gives its own words. The English ones are in this class, since a picture that the
 * command line draws has no page around it.
 */
public final class PictureText {
    private static final Map<String, String> ENGLISH = Map.ofEntries(
            Map.entry("picture-question", "How many got through in any {period}?"),
            Map.entry("picture-question-at-once", "How many ran at once?"),
            Map.entry("picture-limit-is", "The limit is {n}."),
            Map.entry("picture-scenario", "{permits} per {period}, {traffic} traffic"),
            Map.entry("picture-over", "{most} in {period}: {times} times the limit"),
            Map.entry("picture-within", "never more than {most} in any {period}"),
            Map.entry("picture-at-once", "never more than {most} at once"),
            Map.entry("picture-allowed", "{n} allowed"),
            Map.entry("picture-denied", "{n} denied"),
            Map.entry("picture-wait", "longest wait {time}"),
            Map.entry("picture-limit", "limit {n}"),
            Map.entry("picture-most", "most: {n}"),
            Map.entry("picture-curve", "got through in the last {period}"),
            Map.entry("picture-curve-at-once", "running"),
            Map.entry("picture-above", "more than the limit"),
            Map.entry("picture-window", "a window ends"),
            Map.entry("picture-start", "delayed work starts"),
            Map.entry("picture-yes", "allowed"),
            Map.entry("picture-no", "denied"),
            Map.entry("traffic-steady", "steady"),
            Map.entry("traffic-burst", "burst"),
            Map.entry("traffic-boundary", "boundary"),
            Map.entry("traffic-flash-sale", "flash-sale"),
            Map.entry("traffic-on-off", "on-off"),
            Map.entry("traffic-drawn", "drawn"),
            Map.entry("algorithm-fixed-window", "Fixed window"),
            Map.entry("algorithm-fixed-window-aligned", "Fixed window, aligned"),
            Map.entry("algorithm-fixed-window-calendar", "Fixed window, calendar"),
            Map.entry("algorithm-sliding-window", "Sliding window"),
            Map.entry("algorithm-sliding-window-weighted", "Sliding window, weighted"),
            Map.entry("algorithm-sliding-log", "Sliding log"),
            Map.entry("algorithm-token-bucket", "Token bucket"),
            Map.entry("algorithm-leaky-bucket", "Leaky bucket"),
            Map.entry("algorithm-leaky-bucket-queue", "Leaky bucket, queue"),
            Map.entry("algorithm-concurrency", "Concurrency"));

    private final Map<String, String> texts;

    private PictureText(Map<String, String> texts) {
        this.texts = texts;
    }

    /** The English words. */
    public static PictureText english() {
        return new PictureText(ENGLISH);
    }

    /**
     * The words of another language. Keys that a picture does not need are left out.
     *
     * @throws IllegalArgumentException if one that it needs is not there
     */
    public static PictureText of(Map<String, String> texts) {
        Set<String> missing = new TreeSet<>(ENGLISH.keySet());
        missing.removeAll(texts.keySet());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("a picture needs a text for " + String.join(", ", missing));
        }
        return new PictureText(Map.copyOf(texts));
    }

    /** The words by their keys. */
    public static Map<String, String> englishByKey() {
        return ENGLISH;
    }

    /** The scenario in one line. */
    public String scenario(Scenario scenario) {
        String traffic = text("traffic-" + scenario.shape().text());
        return say("scenario", "permits", scenario.permits(), "period", scenario.periodText(), "traffic", traffic);
    }

    /** The name of the algorithm of a limit, as a heading. */
    String algorithm(LimitSummary summary) {
        return text("algorithm-" + summary.key());
    }

    /** A text with its placeholders filled: names and values take turns. */
    String say(String key, Object... values) {
        String text = text("picture-" + key);
        for (int i = 0; i < values.length; i += 2) {
            text = text.replace("{" + values[i] + "}", String.valueOf(values[i + 1]));
        }
        return text;
    }

    private String text(String key) {
        String text = texts.get(key);
        if (text == null) {
            throw new IllegalStateException("no text for " + key);
        }
        return text;
    }
}
