package dev.sluice.simulate.generate;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Somebody with a browser. */
final class Person extends Client.Actor {
    /** About how many requests a session has. */
    static final double REQUESTS_PER_SESSION = 21.5;

    private static final double PAGES = 6;
    private static final double SIGN_IN = 0.15;

    private final DayCurve day;
    private final double meanMicros;
    private final long[] visits;
    private final String user;
    private int pagesLeft;
    private int assetsLeft;
    private boolean signingIn;
    private @Nullable String page;

    /**
     * A person.
     *
     * @param meanMicros the mean time between two sessions
     * @param visits when it comes for another reason, in order
     */
    Person(Client client, Dice dice, DayCurve day, double meanMicros, long[] visits, String user) {
        super(client, dice, dice.choose(Site.BROWSERS));
        this.day = day;
        this.meanMicros = meanMicros;
        this.visits = visits;
        this.user = user;
        this.nextMicros = day.startMicros();
        startSession();
    }

    private void startSession() {
        long before = nextMicros;
        nextMicros = day.next(before, meanMicros, dice);
        for (long visit : visits) {
            if (visit > before && visit < nextMicros) {
                nextMicros = visit;
                break;
            }
        }
        pagesLeft = dice.geometric(PAGES);
        assetsLeft = 0;
        signingIn = dice.chance(SIGN_IN);
        page = null;
    }

    @Override
    void act(LogSink sink) throws IOException {
        String from = page == null ? "" : "https://shop.example" + page;
        if (assetsLeft > 0) {
            assetsLeft--;
            boolean cached = dice.chance(0.3);
            request(sink, "GET", Site.asset(dice), cached ? 304 : 200, cached ? 0 : Site.size(dice), from);
            after(dice.exponential(0.08 * SECOND));
            return;
        }
        if (signingIn) {
            boolean right = dice.chance(0.92);
            signingIn = !right;
            request(sink, "POST", "/login", right ? 302 : 401, 300, from);
            nextMicros += 2 * SECOND + dice.thinking(4 * SECOND);
            return;
        }
        boolean first = page == null;
        page = Site.page(dice);
        int status = dice.chance(0.015) ? 404 : dice.chance(0.002) ? 500 : 200;
        request(sink, user, "GET", page, status, Site.size(dice), from);
        assetsLeft = status != 200 ? 0 : first ? 5 + dice.below(7) : dice.below(4);
        pagesLeft--;
        after(dice.exponential(0.2 * SECOND));
    }

    /** Goes on with the images of a page, or reads it and goes to the next, or leaves. */
    private void after(long loadingMicros) {
        if (assetsLeft > 0) {
            nextMicros += loadingMicros;
        } else if (pagesLeft > 0) {
            nextMicros += SECOND + dice.thinking(15 * SECOND);
        } else {
            startSession();
        }
    }
}
