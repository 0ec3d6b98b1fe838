package dev.sluice.local;

import dev.sluice.KeyUsage;
import dev.sluice.algorithm.State;
import dev.sluice.spi.KeyStatus;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a state stands at {@code now}, the time by which the limiter decides. Times left are measured on its clock: the
 * two differ only after the clock has stepped far back.
 */
final class LocalKeyStatus extends KeyStatus {
    /** What is charged; null for a look. */
    private final @Nullable Entry entry;

    final State state;
    final int percent;
    final long now;

    LocalKeyStatus(@Nullable Entry entry, State state, int percent, long now) {
        this.entry = entry;
        this.state = state;
        this.percent = percent;
        this.now = now;
    }

    /** The decision when the state has been charged, for work that may start at {@code departsAt}. */
    LimiterDecision allowed(long permits, long clock, long departsAt) {
        long delay = departsAt == now ? 0 : until(departsAt, clock);
        return allowed(permits, clock, delay, Math.max(now, state.latest()));
    }

    /** How it stands when nothing is charged. */
    LimiterDecision uncharged(long clock) {
        return allowed(0, clock, state.departsAt(now));
    }

    /** What is in use of each limit. */
    List<KeyUsage> usage() {
        return IntStream.range(0, state.parts())
                .mapToObj(limit -> usage(state.part(limit)))
                .toList();
    }

    private KeyUsage usage(State part) {
        List<KeyUsage.Span> spans = part.spans(now, KeyUsage.MAX_SPANS).stream()
                .map(span -> new KeyUsage.Span(span.fromAgo(), span.toAgo(), span.permits()))
                .toList();
        return new KeyUsage(part.used(now), spans);
    }

    @Override
    protected @Nullable Object counter() {
        return entry;
    }

    @Override
    protected int limits() {
        return state.parts();
    }

    @Override
    protected long capacity(int limit) {
        return state.part(limit).algorithm().capacity();
    }

    @Override
    protected long room(int limit) {
        return state.part(limit).room(percent);
    }

    @Override
    protected long remaining(int limit) {
        return state.part(limit).remaining(percent, now);
    }

    @Override
    protected long readyAt(int limit, long permits) {
        return state.part(limit).readyAt(percent, now, permits);
    }

    @Override
    protected long mark(int limit) {
        return state.part(limit).mark();
    }

    @Override
    protected Object limitId(int limit) {
        return state.part(limit).algorithm().lineage();
    }

    @Override
    protected long freshAt(int limit) {
        return state.part(limit).freshAt(now);
    }
}
