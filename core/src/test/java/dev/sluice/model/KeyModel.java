package dev.sluice.model;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Several limits on one key: all of them are charged, or none is. */
final class KeyModel {
    /** An answer, and what was taken for it from each part: nothing if the answer was no. */
    record Answer(Decision decision, List<Charge> charges) {}

    private final List<PartModel> parts;

    private KeyModel(List<PartModel> parts) {
        this.parts = parts;
    }

    static KeyModel of(List<Limit> limits) {
        return new KeyModel(limits.stream().map(PartModel::of).toList());
    }

    KeyModel copy() {
        return new KeyModel(parts.stream().map(PartModel::copy).toList());
    }

    Answer decide(long now, long permits, int percent) {
        if (permits > 0 && parts.stream().anyMatch(p -> permits > share(p, percent))) {
            return denied(Outcome.NEVER, now, permits, percent);
        }
        if (permits > 0 && parts.stream().anyMatch(p -> !p.admits(now, permits + reserve(p, percent)))) {
            return denied(Outcome.DENIED, now, permits, percent);
        }
        long delay = max(parts.stream().mapToLong(p -> p.delayMicros(now)));
        List<Charge> charges = new ArrayList<>();
        if (permits > 0) {
            parts.forEach(p -> charges.add(p.take(now, permits)));
        }
        long takenAt = charges.isEmpty() ? now : charges.get(0).atMicros;
        PartModel tightest = parts.get(0);
        for (PartModel part : parts) {
            if (remaining(part, now, percent) < remaining(tightest, now, percent)) {
                tightest = part;
            }
        }
        Decision decision = LimiterDecision.allowed(
                permits,
                tightest.capacity(),
                remaining(tightest, now, percent),
                resetAfter(now),
                delay,
                takenAt,
                0,
                null,
                null);
        return new Answer(decision, charges);
    }

    private Answer denied(Outcome outcome, long now, long permits, int percent) {
        PartModel tightest = parts.get(0);
        for (PartModel part : parts) {
            if (retryAfter(part, now, permits, percent) > retryAfter(tightest, now, permits, percent)) {
                tightest = part;
            }
        }
        long remaining =
                parts.stream().mapToLong(p -> remaining(p, now, percent)).min().orElseThrow();
        Decision decision = LimiterDecision.denied(
                outcome,
                permits,
                tightest.capacity(),
                remaining,
                retryAfter(tightest, now, permits, percent),
                resetAfter(now));
        return new Answer(decision, List.of());
    }

    List<KeyUsage> usage(long now) {
        return parts.stream().map(part -> part.usage(now)).toList();
    }

    void refund(long now, List<Charge> charges, long unused) {
        for (int i = 0; i < charges.size(); i++) {
            parts.get(i).refund(now, charges.get(i), unused);
        }
    }

    void release(List<Charge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            parts.get(i).release(charges.get(i));
        }
    }

    private long resetAfter(long now) {
        return max(parts.stream().mapToLong(p -> p.resetAfterMicros(now)));
    }

    private static long retryAfter(PartModel part, long now, long permits, int percent) {
        return permits > share(part, percent)
                ? Decision.NEVER_MICROS
                : part.retryAfterMicros(now, permits + reserve(part, percent));
    }

    private static long remaining(PartModel part, long now, int percent) {
        return Math.max(0, part.remaining(now) - reserve(part, percent));
    }

    private static long share(PartModel part, int percent) {
        return part.capacity() * percent / 100;
    }

    private static long reserve(PartModel part, int percent) {
        return part.capacity() - share(part, percent);
    }

    private static long max(LongStream values) {
        return values.max().orElseThrow();
    }
}
