package dev.sluice.server.trial;

import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.StatusConditions;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.server.record.RecordedLines;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.replay.ReplayException;
import dev.sluice.simulate.replay.ReplayReport;
import dev.sluice.simulate.replay.ReplayRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Replays what a server recorded under two sets of rules: those in force, and others that somebody would put in their place.
 *
 * <p><b>Bounds.</b> Each replay counts in a store of its own, with a bound on its memory. A trial takes a while at most: what
 * has been replayed by then is the result, with a note. Both replays see each request at the same time, on a clock
 * of their own, so nothing of the running server is counted or changed.
 */
public final class RuleTrial {
    private static final String RECORDING = "the recording";
    private static final long MAX_BYTES = 64L << 20;
    /** Of the heap, for each of the two replays. */
    private static final int HEAP_SHARE = 16;

    private final Recorder recorder;
    private final Duration maxTime;
    private final LongSupplier nanos;
    private final long maxBytes;

    /**
     * What a trial found.
     *
     * @param report the replay under the rules in force, and beside it under the others
     * @param notes sentences about what it does not show
     */
    public record Result(ReplayReport report, List<String> notes) {
        public Result {
            notes = List.copyOf(notes);
        }
    }

    /** Rules that a recording can decide, and sentences about the others. */
    private record Replayable(RuleSet rules, List<String> leftOut) {}

    /**
     * A trial on what a recorder has.
     *
     * @param maxTime for how long the recording is read at most
     * @param nanos the clock for that
     */
    public RuleTrial(Recorder recorder, Duration maxTime, LongSupplier nanos) {
        this.recorder = recorder;
        this.maxTime = maxTime;
        this.nanos = nanos;
        this.maxBytes = Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    }

    /**
     * Replays the requests of the last so long. It takes the thread that calls it, and others to read.
     *
     * @param gone whether nobody waits for the result any more; then the rest is not read
     * @throws TrialException if the recording cannot be read, or lacks what a rule asks for
     */
    public Result run(Duration last, RuleSet inForce, RuleSet others, BooleanSupplier gone) {
        RecorderSettings settings = recorder.settings();
        Replayable first = replayable(inForce, settings);
        Replayable second = replayable(others, settings);
        Set<String> notes = notes(second, settings);
        RecordedLines lines = recorder.last(last);
        TimedStream timed = new TimedStream(lines, maxTime, nanos, gone);
        LogOptions options = LogOptions.ofRecording(settings.attributes(), Map.of(RECORDING, timed));
        try (LogSource source = LogSource.open(List.of(RECORDING), options)) {
            ReplayReport report = ReplayReport.of(
                    source,
                    new ReplayRules("the rules in force", first.rules()),
                    Optional.of(new ReplayRules("the other rules", second.rules())),
                    maxBytes,
                    timed::isOver);
            if (timed.wasCut()) {
                notes.add("a trial takes " + maxTime.toSeconds() + " s at most, and this one shows the first "
                        + report.result().requests() + " requests only");
            } else {
                notes.addAll(report.log().notes());
            }
            return new Result(report, List.copyOf(notes));
        } catch (LogException | ReplayException e) {
            throw new TrialException(e);
        }
    }

    private static Set<String> notes(Replayable others, RecorderSettings settings) {
        Set<String> notes = new LinkedHashSet<>(others.leftOut());
        if (settings.shareMillionths() < RecorderSettings.EVERYBODY) {
            notes.add("the server records " + settings.shareText()
                    + " of the clients: limits that clients share look larger than they are");
        }
        for (Rule rule : others.rules().rules()) {
            compared(rule)
                    .filter(settings.hashed()::contains)
                    .distinct()
                    .forEach(name -> notes.add("rule '" + rule.name() + "' compares " + name
                            + ", which is recorded as a hash: no value matches"));
        }
        return notes;
    }

    private static Replayable replayable(RuleSet all, RecorderSettings settings) {
        List<Rule> kept = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        for (Rule rule : all.rules()) {
            Optional<String> missing = rule.attributes()
                    .map(name -> name.equals(Attributes.REGION) && all.geo() != null ? Attributes.IP : name)
                    .filter(name -> !settings.attributes().contains(name))
                    .findFirst();
            if (holds(rule)) {
                leftOut.add("rule '" + rule.name() + "' limits how many requests run at once, and is left out:"
                        + " a recording does not say how long they took");
            } else if (missing.isPresent()) {
                leftOut.add("rule '" + rule.name() + "' is left out: it asks for '" + missing.get() + "', which is not"
                        + (missing.get().equals(StatusConditions.STATUS)
                                ? " known when a request comes"
                                : " recorded (--record-attributes)"));
            } else {
                kept.add(rule);
            }
        }
        return new Replayable(all.withRules(kept), leftOut);
    }

    private static Stream<String> compared(Rule rule) {
        return Stream.concat(
                        rule.when().stream(), rule.overrides().stream().flatMap(override -> override.when().stream()))
                .map(Condition::attribute);
    }

    private static boolean holds(Rule rule) {
        return Stream.concat(
                        rule.limits().stream(),
                        rule.overrides().stream().flatMap(override -> override.limits().stream()))
                .anyMatch(Limit::holds);
    }
}
