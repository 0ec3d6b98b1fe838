package dev.sluice.simulate.suggest;

import java.util.Locale;

/** What a client looks like, by what it did. */
public enum Behaviour {
    /** Somebody with a browser, several people behind one address, or anybody who did nothing remarkable. */
    PERSON(false),
    /** A program that says that it is a bot, and behaves. */
    CRAWLER(false),
    /** A program that calls at a steady pace, day and night. */
    PROGRAM(false),
    /** A program that repeats a failing call. */
    BROKEN(true),
    /** Somebody who tries passwords or keys. */
    ATTACKER(true),
    /** Somebody who looks for what is not there. */
    SCANNER(true),
    /** A program that says that it is a browser, and reads one page after another. */
    SCRAPER(true),
    /** Somebody who is many times busier than nearly all clients. */
    FLOODER(true);

    private final boolean leftOut;

    Behaviour(boolean leftOut) {
        this.leftOut = leftOut;
    }

    /** Whether limits are suggested without regard to it. */
    public boolean isLeftOut() {
        return leftOut;
    }

    /** {@code person}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
