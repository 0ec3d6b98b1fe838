package dev.sluice.server.admin;

import dev.sluice.Limit;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits and durations as a rule file writes them. */
final class LimitTexts {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private LimitTexts() {}

    /** Reads limits by reading a rule that has them; none for unlimited. */
    static List<Limit> parse(List<String> limits) {
        JsonObject rule = new JsonObject().put("name", "override").put("limits", new JsonArray(limits));
        JsonObject file = new JsonObject().put("rules", new JsonArray().add(rule));
        try {
            return RuleFile.parse("override", file.encode()).rules().get(0).limits();
        } catch (RuleFileException e) {
            String first = e.problems().get(0).field().replaceFirst("^rules\\[0]\\.", "");
            throw Exchange.bad(first + ": " + e.problems().get(0).message());
        }
    }

    static Duration duration(String name, String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw Exchange.bad(name + " must be a number and one of ms, s, m, h, d, as in \"10m\", was \""
                    + HttpProblem.cut(text) + "\"");
        }
        return Duration.of(Long.parseLong(matcher.group(1)), UNITS.getOrDefault(matcher.group(2), ChronoUnit.SECONDS));
    }

    /** The text of a limit. */
    static String of(Limit limit) {
        if (limit instanceof Limit.FixedWindow fixed) {
            return rate(fixed.permits(), fixed.period()) + " fixed-window" + aligned(fixed.alignment());
        } else if (limit instanceof Limit.SlidingWindow sliding) {
            boolean weighted = sliding.counting() == Limit.SlidingWindow.Counting.WEIGHTED;
            return rate(sliding.permits(), sliding.period()) + " sliding-window slices=" + sliding.slices()
                    + (weighted ? " weighted" : "");
        } else if (limit instanceof Limit.SlidingLog log) {
            return rate(log.permits(), log.period()) + " sliding-log";
        } else if (limit instanceof Limit.TokenBucket bucket) {
            return rate(bucket.permits(), bucket.period()) + " token-bucket burst=" + bucket.burst();
        } else if (limit instanceof Limit.LeakyBucket bucket) {
            boolean queue = bucket.flow() == Limit.LeakyBucket.Flow.QUEUE;
            return rate(bucket.permits(), bucket.period()) + " leaky-bucket capacity=" + bucket.capacity()
                    + (queue ? " queue" : "");
        } else {
            return limit.capacity() + " at once";
        }
    }

    private static String aligned(Limit.Alignment alignment) {
        if (alignment instanceof Limit.Alignment.Calendar calendar) {
            return " aligned=" + calendar.zone();
        }
        return alignment instanceof Limit.Alignment.Epoch ? " aligned=epoch" : "";
    }

    private static String rate(long permits, Duration period) {
        return permits + " per " + period(period);
    }

    private static String period(Duration period) {
        if (period.toMillis() % 1000 != 0 || period.toNanos() % 1_000_000 != 0) {
            return period.toNanos() % 1_000_000 == 0 ? period.toMillis() + "ms" : period.toNanos() / 1000 + "us";
        }
        return period.toDays() > 0 && period.equals(Duration.ofDays(period.toDays()))
                ? period.toDays() + "d"
                : period.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
