package dev.sluice.examples;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import java.time.Duration;

/** A limiter on a fake clock, whose answers are written A for allowed and D for denied. */
final class Scene {
    private final FakeClock clock = new FakeClock(0);
    private final Limiter limiter;

    private Scene(Limit... limits) {
        this.limiter = Limiter.local(clock, limits);
    }

    static Scene of(Limit... limits) {
        return new Scene(limits);
    }

    Scene atSeconds(double seconds) {
        return atMicros(Math.round(seconds * 1_000_000));
    }

    Scene atMillis(long millis) {
        return atMicros(millis * 1000);
    }

    Scene atMicros(long micros) {
        clock.set(micros);
        return this;
    }

    Scene later(Duration by) {
        clock.advance(by.toNanos() / 1000);
        return this;
    }

    /** Asks for one permit so many times. */
    String calls(int times) {
        return calls("", times, 1);
    }

    String calls(String key, int times, long permits) {
        StringBuilder answers = new StringBuilder();
        for (int i = 0; i < times; i++) {
            answers.append(limiter.decide(key, permits).allowed() ? 'A' : 'D');
        }
        return answers.toString();
    }

    /** Asks so many times, with {@code gap} between. */
    String callsEvery(Duration gap, int times, long permits) {
        StringBuilder answers = new StringBuilder();
        for (int i = 0; i < times; i++) {
            answers.append(calls("", 1, permits));
            later(gap);
        }
        return answers.toString();
    }

    Decision decide(long permits) {
        return limiter.decide(permits);
    }

    Decision peek() {
        return limiter.peek();
    }

    long remaining() {
        return limiter.peek("", 0).remaining();
    }
}
