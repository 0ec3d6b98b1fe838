package dev.sluice.server.check;

import dev.sluice.rules.Verdict;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/** Hears of every request to the data port that the rules decided. Keep it quick. */
public interface CheckListener {
    /** Hears nothing. */
    CheckListener NONE = new CheckListener() {
        @Override
        public void decided(HttpServerRequest request, long beganNanos, Verdict verdict) {}

        @Override
        public void decided(HttpServerRequest request, long beganNanos, List<Verdict> verdicts) {}
    };

    /**
     * A check was decided.
     *
     * @param beganNanos when it came, by {@link System#nanoTime}
     */
    void decided(HttpServerRequest request, long beganNanos, Verdict verdict);

    /** A list of checks was decided. */
    void decided(HttpServerRequest request, long beganNanos, List<Verdict> verdicts);
}
