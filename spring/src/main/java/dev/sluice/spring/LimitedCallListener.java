package dev.sluice.spring;

import dev.sluice.rules.Verdict;

/** Hears of methods, web requests and routes that go ahead under rules, and of their ends. Keep it quick. */
@FunctionalInterface
public interface LimitedCallListener {
    /** What is limited. */
    enum Kind {
        METHOD,
        REQUEST,
        /** A request on a route of a gateway. */
        ROUTE
    }

    /** What became of it. */
    enum Result {
        SUCCESS,
        /** It threw an exception, or the status of the response was 500 or more. */
        ERROR,
        /** It did not run after all. */
        NOT_RUN;

        private static final int FIRST_ERROR = 500;

        /** The result of a request whose response has this status. */
        public static Result of(int status) {
            return status >= FIRST_ERROR ? ERROR : SUCCESS;
        }
    }

    /** Hears of the end of one call, once. */
    @FunctionalInterface
    interface Ending {
        /** Hears nothing. */
        Ending NONE = result -> {};

        void ended(Result result);
    }

    /** A call goes ahead by this verdict. */
    Ending began(Kind kind, Verdict verdict);
}
