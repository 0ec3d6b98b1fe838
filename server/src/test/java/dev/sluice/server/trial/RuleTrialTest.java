package dev.sluice.server.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ManualClock;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.record.RecorderSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A trial ends at its bound, and when nobody waits for it: what has been replayed by then is the result. */
class RuleTrialTest {
    private static final int REQUESTS = 2000;
    private static final RuleSet RULES =
            RuleFile.parse("rules.yaml", "rules: [{ name: a, key: [ip], limits: [1 per 1h] }]");

    private final ManualClock clock = new ManualClock();
    private final Recorder recorder =
            new Recorder(RecorderSettings.of(1 << 20), clock, () -> Instant.ofEpochSecond(1_789_000_000), 1);
    private final AtomicLong nanos = new AtomicLong();

    RuleTrialTest() {
        for (int i = 0; i < REQUESTS; i++) {
            recorder.record(Request.of(Map.of("ip", "203.0.113.9"), 1));
            clock.advance(Duration.ofMillis(1));
        }
    }

    /** On a clock that goes on by a millisecond whenever it is asked. */
    private RuleTrial.Result run(Duration maxTime, BooleanSupplier gone) {
        RuleTrial trial = new RuleTrial(recorder, maxTime, () -> nanos.addAndGet(1_000_000));
        return trial.run(Duration.ofHours(1), RULES, RULES, gone);
    }

    @Test
    void withTimeEnoughAllIsReplayed() {
        RuleTrial.Result result = run(Duration.ofHours(1), () -> false);
        assertThat(result.report().result().requests()).isEqualTo(REQUESTS);
        assertThat(result.notes()).isEmpty();
    }

    @Test
    void theTimeBoundsTheReplayAndNotOnlyTheReading() {
        RuleTrial.Result result = run(Duration.ofMillis(500), () -> false);
        assertThat(result.report().result().requests()).isBetween(1L, 500L);
        assertThat(result.notes())
                .singleElement()
                .asString()
                .startsWith("a trial takes 0 s at most, and this one shows the first ");
    }

    @Test
    void itEndsWhenNobodyWaitsForIt() {
        AtomicLong asked = new AtomicLong();
        RuleTrial.Result result = run(Duration.ofHours(1), () -> asked.incrementAndGet() > 100);
        assertThat(result.report().result().requests()).isLessThan(100);
    }
}
