package dev.sluice.bench.report;

import java.util.Optional;

/** One promise and what became of it. */
public record Target(String promise, String measured, Verdict verdict) {
    /** Whether a promise is kept. */
    public enum Verdict {
        HOLDS("holds"),
        MISSES("misses"),
        UNKNOWN("not measured");

        public final String word;

        Verdict(String word) {
            this.word = word;
        }
    }

    /** Judged by what was measured, if it was. */
    public static Target of(String promise, Optional<String> measured, Optional<Boolean> kept) {
        Verdict verdict = kept.map(yes -> yes ? Verdict.HOLDS : Verdict.MISSES).orElse(Verdict.UNKNOWN);
        return new Target(promise, measured.orElse(""), verdict);
    }
}
