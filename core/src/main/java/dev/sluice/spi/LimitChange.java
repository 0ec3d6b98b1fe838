package dev.sluice.spi;

import dev.sluice.Limit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;

/** What the limits of a limiter have to do with those before them. */
public final class LimitChange {
    /** How alike two limits are, the closest first. */
    private static final List<BiPredicate<Limit, Limit>> LIKENESS = List.of(
            Limit::equals,
            (old, next) -> isSameAlgorithm(old, next) && Objects.equals(old.period(), next.period()),
            LimitChange::isSameAlgorithm,
            (old, next) -> old.holds() == next.holds(),
            (old, next) -> true);

    private LimitChange() {}

    /**
     * For each of the limits {@code next} the number of the limit among {@code old} whose counts it continues; empty if
     * none is left for it. Equal limits go together first, then those of the same algorithm, then the rest in order: rate
     * limits with rate limits first, because a concurrency limit would forget what they counted.
     */
    public static List<Optional<Integer>> continued(List<Limit> old, List<Limit> next) {
        Integer[] from = new Integer[next.size()];
        boolean[] used = new boolean[old.size()];
        for (BiPredicate<Limit, Limit> alike : LIKENESS) {
            for (int i = 0; i < from.length; i++) {
                for (int j = 0; j < used.length && from[i] == null; j++) {
                    if (!used[j] && alike.test(old.get(j), next.get(i))) {
                        from[i] = j;
                        used[j] = true;
                    }
                }
            }
        }
        return Arrays.stream(from).map(Optional::ofNullable).toList();
    }

    /** Whether permits taken under the limit {@code old} can be given back under {@code next}, which continues it. */
    public static boolean keepsRefunds(Limit old, Limit next) {
        return next.accept(new After(old));
    }

    private static boolean isSameAlgorithm(Limit old, Limit next) {
        return old.algorithm().equals(next.algorithm());
    }

    private record After(Limit old) implements Limit.Cases<Boolean> {
        @Override
        public Boolean fixedWindow(Limit.FixedWindow next) {
            return old instanceof Limit.FixedWindow before
                    && before.period().equals(next.period())
                    && before.alignment().equals(next.alignment());
        }

        @Override
        public Boolean slidingWindow(Limit.SlidingWindow next) {
            return old instanceof Limit.SlidingWindow before
                    && before.period()
                            .dividedBy(before.slices())
                            .equals(next.period().dividedBy(next.slices()));
        }

        @Override
        public Boolean slidingLog(Limit.SlidingLog next) {
            return old instanceof Limit.SlidingLog;
        }

        @Override
        public Boolean tokenBucket(Limit.TokenBucket next) {
            return old instanceof Limit.TokenBucket before
                    && before.permits() == next.permits()
                    && before.period().equals(next.period());
        }

        @Override
        public Boolean leakyBucket(Limit.LeakyBucket next) {
            return old instanceof Limit.LeakyBucket before
                    && before.permits() == next.permits()
                    && before.period().equals(next.period())
                    && before.flow() == next.flow();
        }

        @Override
        public Boolean concurrency(Limit.Concurrency next) {
            return old instanceof Limit.Concurrency;
        }
    }
}
