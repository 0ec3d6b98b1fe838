package dev.sluice.redis.script;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.spi.KeyStatus;
import dev.sluice.spi.LimiterDecision;
import java.nio.ByteBuffer;

/** The reply of a script to one request: how each limit stands, in the numbers that decide.lua describes. */
public final class ScriptReply extends KeyStatus {
    private static final int ADMITTED = 1;
    private static final int ALL_ADMITTED = 2;
    private static final int OUT_OF_WINDOW = 3;
    private static final int DAMAGED = 4;
    private static final int CLOCK_BEHIND = 5;

    private static final int NOW = 1;
    private static final int TAKEN_AT = NOW + Double.BYTES;
    private static final int DEPARTS_AT = TAKEN_AT + Double.BYTES;
    private static final int LIMITS = DEPARTS_AT + Double.BYTES;

    private static final int USED = 0;
    private static final int FRESH_AT = 1;
    private static final int READY_AT = 2;
    private static final int MARK = 3;
    private static final int NUMBERS_OF_A_LIMIT = 4;

    private final ByteBuffer packed;
    private final int start;
    private final int first;
    private final LimitScripts scripts;
    private final int percent;
    /** The permits of the requests after this one that share its reply. */
    private final long permitsAfter;

    /** The reply on one request that may use {@code percent} of each limit. */
    public ScriptReply(byte[] packed, LimitScripts scripts, int percent) {
        this(LimitScripts.packed(packed), 0, 0, scripts, percent);
    }

    /**
     * The reply on a request of several; it begins at byte {@code start}.
     *
     * @param permitsAfter the permits of the requests of a run that come after it, where all of the run are admitted
     */
    public ScriptReply(ByteBuffer packed, int start, long permitsAfter, LimitScripts scripts, int percent) {
        this(packed, start, 0, permitsAfter, scripts, percent);
    }

    private ScriptReply(ByteBuffer packed, int start, int first, long permitsAfter, LimitScripts scripts, int percent) {
        this.packed = packed;
        this.start = start;
        this.first = first;
        this.permitsAfter = permitsAfter;
        this.scripts = scripts;
        this.percent = percent;
    }

    /** The part for one of several limiters, whose limits begin at number {@code first}. */
    public ScriptReply part(int first, LimitScripts scripts, int percent) {
        return new ScriptReply(packed, start, first, permitsAfter, scripts, percent);
    }

    /** Whether the reply that begins at byte {@code start} is one to all requests of a run. */
    public static boolean isOfRun(ByteBuffer packed, int start) {
        return packed.get(start) == ALL_ADMITTED;
    }

    /** The bytes of the reply on one request to these limits. */
    public static int bytes(LimitScripts scripts) {
        return LIMITS + scripts.limits().size() * NUMBERS_OF_A_LIMIT * Double.BYTES;
    }

    /** Whether these are the bytes of a reply of {@code settle}. */
    public static boolean isOfSettle(byte[] packed) {
        return packed.length == TAKEN_AT;
    }

    /** Whether all limits admitted the permits. */
    public boolean isAdmitted() {
        return outcome() == ADMITTED || outcome() == ALL_ADMITTED;
    }

    /** Whether the script did nothing, and the caller has to ask again, as of {@link #nowMicros}. */
    public boolean isUndecided() {
        return outcome() >= OUT_OF_WINDOW;
    }

    /** Whether a calendar window has ended, so that the script did nothing. */
    public boolean isOutOfWindow() {
        return outcome() == OUT_OF_WINDOW;
    }

    /** Whether a state was damaged and has been deleted, so that the script did nothing else. */
    public boolean isDamaged() {
        return outcome() == DAMAGED;
    }

    /** Whether the clock is behind a state, so that the script decides on one request at a time only. */
    public boolean isClockBehind() {
        return outcome() == CLOCK_BEHIND;
    }

    private int outcome() {
        return packed.get(start);
    }

    /** The server's time. */
    public long nowMicros() {
        return number(NOW);
    }

    /** The decision on a request that accepts a delay of up to {@code maxDelay}. */
    public LimiterDecision decision(long permits, long maxDelay) {
        if (!isAdmitted()) {
            return denied(permits, maxDelay);
        }
        long delay = number(DEPARTS_AT) - nowMicros();
        return allowed(permits, nowMicros(), delay, number(TAKEN_AT)).withSource(Decision.Source.REDIS);
    }

    /**
     * How these limits stand without the request, which was denied by them or by others in the same script; it accepts a
     * delay of up to {@code maxDelay} by the limit among these that queues.
     */
    public LimiterDecision withoutTaking(long permits, long maxDelay) {
        boolean late = scripts.delays() && number(DEPARTS_AT) - nowMicros() > maxDelay;
        return late || permits > remaining()
                ? denied(permits, scripts.delays() ? maxDelay : LimitScripts.ANY_DELAY)
                : allowed(0, nowMicros(), 0, 0).untaken().withSource(Decision.Source.REDIS);
    }

    private LimiterDecision denied(long permits, long maxDelay) {
        long readyAt = readyAt(permits);
        long departsAt = number(DEPARTS_AT);
        if (departsAt - nowMicros() > maxDelay) {
            readyAt = Math.max(readyAt, departsAt - maxDelay);
        }
        return denied(Outcome.DENIED, permits, nowMicros(), remaining(), readyAt)
                .withSource(Decision.Source.REDIS);
    }

    @Override
    protected int limits() {
        return scripts.limits().size();
    }

    @Override
    protected long capacity(int limit) {
        return scripts.limits().get(limit).capacity();
    }

    @Override
    protected long room(int limit) {
        return scripts.room(limit, percent);
    }

    @Override
    protected long remaining(int limit) {
        return Math.max(0, room(limit) - (numberOf(limit, USED) - permitsAfter));
    }

    @Override
    protected long readyAt(int limit, long permits) {
        return numberOf(limit, READY_AT);
    }

    @Override
    protected long mark(int limit) {
        BucketRate rate = permitsAfter == 0 ? null : scripts.bucketRate(limit);
        return numberOf(limit, MARK) - (rate == null ? 0 : permitsAfter * rate.weight());
    }

    @Override
    protected Object limitId(int limit) {
        return scripts.limits().get(limit);
    }

    @Override
    protected long freshAt(int limit) {
        BucketRate rate = permitsAfter == 0 ? null : scripts.bucketRate(limit);
        return rate == null
                ? numberOf(limit, FRESH_AT)
                : number(TAKEN_AT) + rate.microsFor(numberOf(limit, READY_AT) - permitsAfter * rate.weight());
    }

    private long numberOf(int limit, int which) {
        return number(LIMITS + ((first + limit) * NUMBERS_OF_A_LIMIT + which) * Double.BYTES);
    }

    /** Lua's infinities become the largest and the smallest number. */
    private long number(int at) {
        return (long) packed.getDouble(start + at);
    }
}
