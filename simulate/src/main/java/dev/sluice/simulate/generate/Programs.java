package dev.sluice.simulate.generate;

import java.io.IOException;

/** The clients that are no people. */
final class Programs {
    private Programs() {}

    /** Asks whether the site is up, at fixed intervals. */
    static final class Monitor extends Client.Actor {
        private final long intervalMicros;

        Monitor(Client client, Dice dice, long startMicros, long intervalMicros) {
            super(client, dice, Site.MONITOR);
            this.intervalMicros = intervalMicros;
            this.nextMicros = startMicros + dice.below(intervalMicros);
        }

        @Override
        void act(LogSink sink) throws IOException {
            request(sink, "GET", "/healthz", 200, 2, "");
            nextMicros += intervalMicros + dice.below(SECOND / 20);
        }
    }

    /** Calls the API at a steady pace. */
    static final class Partner extends Client.Actor {
        private final long intervalMicros;
        private final String user;

        Partner(Client client, Dice dice, long startMicros, long intervalMicros, String user) {
            super(client, dice, Site.PARTNER);
            this.intervalMicros = intervalMicros;
            this.user = user;
            this.nextMicros = startMicros + dice.below(intervalMicros);
        }

        @Override
        void act(LogSink sink) throws IOException {
            boolean write = dice.chance(0.2);
            int status = dice.chance(0.005) ? 400 : write ? 201 : 200;
            String path = write ? "/api/v1/orders" : "/api/v1/orders/" + dice.below(100_000);
            request(sink, user, write ? "POST" : "GET", path, status, 400 + dice.below(2000), "");
            nextMicros += (long) (intervalMicros * dice.between(0.9, 1.1));
        }
    }

    /** Reads one page after another, and asks for the rules first. */
    static final class Crawler extends Client.Actor {
        private final double meanMicros;
        private boolean started;

        Crawler(Client client, Dice dice, long startMicros, double meanMicros, String agent) {
            super(client, dice, agent);
            this.meanMicros = meanMicros;
            this.nextMicros = startMicros + dice.exponential(meanMicros);
        }

        @Override
        void act(LogSink sink) throws IOException {
            if (!started) {
                started = true;
                request(sink, "GET", "/robots.txt", 200, 120, "");
            } else {
                boolean gone = dice.chance(0.04);
                int number = dice.below(gone ? 9 * Site.PRODUCTS : Site.PRODUCTS);
                request(sink, "GET", Site.product(number), gone ? 404 : 200, Site.size(dice), "");
            }
            nextMicros += (long) (meanMicros * dice.between(0.5, 1.5));
        }
    }

    /** Repeats a call that fails, several times a second, until the service is back. */
    static final class RetryingApp extends Client.Actor {
        private final double meanMicros;
        private final long endMicros;

        RetryingApp(Client client, Dice dice, long startMicros, long endMicros, double meanMicros) {
            super(client, dice, Site.APP);
            this.meanMicros = meanMicros;
            this.endMicros = endMicros;
            this.nextMicros = startMicros + dice.exponential(SECOND);
        }

        @Override
        void act(LogSink sink) throws IOException {
            request(sink, "GET", "/api/v1/sync", 503, 90, "");
            nextMicros += (long) (meanMicros * dice.between(0.5, 1.5));
            nextMicros = nextMicros < endMicros ? nextMicros : Long.MAX_VALUE;
        }
    }

    /** Tries one name and password after another. */
    static final class Attacker extends Client.Actor {
        private final double meanMicros;
        private final long endMicros;

        Attacker(Client client, Dice dice, long startMicros, long endMicros, double meanMicros) {
            super(client, dice, dice.choose(Site.BROWSERS));
            this.meanMicros = meanMicros;
            this.endMicros = endMicros;
            this.nextMicros = startMicros + dice.exponential(10 * SECOND);
        }

        @Override
        void act(LogSink sink) throws IOException {
            request(sink, "POST", "/login", dice.chance(0.004) ? 302 : 401, 300, "");
            nextMicros += 1 + dice.exponential(meanMicros);
            nextMicros = nextMicros < endMicros ? nextMicros : Long.MAX_VALUE;
        }
    }
}
