package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Endpoints;
import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedClient;
import dev.sluice.simulate.suggest.traffic.ObservedTraffic;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells people, programs and abuse apart by what they did. The first of these that is true decides:
 *
 * <ol>
 *   <li>most requests were refused with 401 or 403: an attacker
 *   <li>most requests failed with another 4xx, on many paths: a scanner
 *   <li>most requests failed, nearly all on one endpoint, in haste: a broken client
 *   <li>it says that it is a bot: a crawler
 *   <li>it says that it is a browser, never loads an image or a style, and reads many pages in haste: a scraper
 *   <li>it comes at steady intervals, day and night: a program
 *   <li>a person
 * </ol>
 *
 * <p>A person or a crawler that is many times busier than nearly all clients floods the site.
 *
 * <p>It has buffers, and is for one thread.
 */
final class Assessor {
    private static final long MINUTE = 60_000_000;
    private static final long HOUR = 60 * MINUTE;
    private static final int HOURS = 24;

    private final Endpoints endpoints;
    private final boolean assetsTell;
    private final long zoneMicros;
    private final int[] byEndpoint;

    /**
     * An assessor.
     *
     * @param assetsTell whether people load images and styles from this site
     */
    Assessor(ObservedTraffic traffic, boolean assetsTell, ZoneId zone) {
        this.endpoints = traffic.endpoints();
        this.assetsTell = assetsTell;
        Instant start = Instant.EPOCH.plus(traffic.firstMicros(), ChronoUnit.MICROS);
        this.zoneMicros = zone.getRules().getOffset(start).getTotalSeconds() * 1_000_000L;
        this.byEndpoint = new int[endpoints.size()];
    }

    /** What a client looks like; {@code events} are its requests. */
    Assessment assess(ObservedClient client, Events events) {
        Numbers numbers = new Numbers(events);
        Assessment abuse = failures(client, events.count(), numbers);
        return abuse == null ? successes(client, events.count(), numbers) : abuse;
    }

    private @Nullable Assessment failures(ObservedClient client, int count, Numbers numbers) {
        int refused = numbers.byGroup[Endpoints.REFUSED];
        if (refused >= Thresholds.ATTACK_REFUSALS && refused >= Thresholds.MOST * count) {
            return is(
                    Behaviour.ATTACKER,
                    client,
                    numbers,
                    "%s refused with 401 or 403, %s on %s",
                    percent(refused, count),
                    percent(numbers.topCount, count),
                    endpoints.get(numbers.top));
        }
        int unknown = numbers.byGroup[Endpoints.CLIENT_ERROR];
        int failed = unknown + numbers.byGroup[Endpoints.SERVER_ERROR];
        int paths = client.paths();
        if (count < Thresholds.MIN_REQUESTS || failed < Thresholds.MOST * count) {
            return null;
        }
        if (unknown >= Thresholds.MOST * count && paths >= Thresholds.SCANNED_PATHS) {
            return is(
                    Behaviour.SCANNER,
                    client,
                    numbers,
                    "%s failed with 4xx, on about %d paths",
                    percent(unknown, count),
                    paths);
        }
        if (isHasty(numbers) && numbers.topCount >= Thresholds.ONE_ENDPOINT * count) {
            return is(
                    Behaviour.BROKEN,
                    client,
                    numbers,
                    "%s failed, %s on %s",
                    percent(failed, count),
                    percent(numbers.topCount, count),
                    endpoints.get(numbers.top));
        }
        return null;
    }

    private Assessment successes(ObservedClient client, int count, Numbers numbers) {
        if (client.saysThatItIsABot()) {
            return is(Behaviour.CRAWLER, client, numbers, "its agent says so: %s", shown(client.agent()));
        }
        int paths = client.paths();
        if (assetsTell
                && isHasty(numbers)
                && numbers.assets == 0
                && count >= Thresholds.PAGES_WITHOUT_ASSETS
                && paths >= Thresholds.SCANNED_PATHS
                && client.saysThatItIsABrowser()) {
            return is(
                    Behaviour.SCRAPER,
                    client,
                    numbers,
                    "about %d paths and no image or style, as %s",
                    paths,
                    shown(client.agent()));
        }
        if (count >= Thresholds.MIN_REQUESTS
                && numbers.hours >= Thresholds.HOURS_AWAKE
                && numbers.deviation <= Thresholds.STEADY) {
            return is(
                    Behaviour.PROGRAM,
                    client,
                    numbers,
                    "steady: every %s within %d %%, in %d of 24 hours",
                    interval(numbers.meanInterval),
                    Math.round(100 * numbers.deviation),
                    numbers.hours);
        }
        return is(Behaviour.PERSON, client, numbers, "%s", person(client, count, numbers));
    }

    /**
     * The same of a client, or that it floods the site.
     *
     * @param usualInMinute the largest number of requests in any minute of all but the busiest of the clients
     */
    static Assessment besideOthers(Assessment client, long usualInMinute) {
        long most = Math.max(Thresholds.HASTY_PER_MINUTE, Thresholds.FLOOD_TIMES * usualInMinute);
        boolean steady = client.behaviour() == Behaviour.PROGRAM;
        if (client.behaviour().isLeftOut() || steady || client.mostInMinute() <= most) {
            return client;
        }
        String reason = String.format(
                Locale.ROOT, "nine of ten clients make at most %,d in a minute; %s", usualInMinute, client.reason());
        return new Assessment(client.key(), Behaviour.FLOODER, client.requests(), client.mostInMinute(), reason);
    }

    private static boolean isHasty(Numbers numbers) {
        return numbers.mostInMinute >= Thresholds.HASTY_PER_MINUTE;
    }

    private static String person(ObservedClient client, int count, Numbers numbers) {
        if (count < Thresholds.MIN_REQUESTS) {
            return "too few requests to tell";
        }
        return (client.hasSeveralAgents() ? "several agents, in bursts, " : "in bursts, ")
                + percent(numbers.assets, count) + " images and styles, in " + numbers.hours + " of 24 hours";
    }

    private static Assessment is(
            Behaviour behaviour, ObservedClient client, Numbers numbers, String reason, Object... arguments) {
        return new Assessment(
                client.key(),
                behaviour,
                client.requests(),
                numbers.mostInMinute,
                String.format(Locale.ROOT, reason, arguments));
    }

    private static String percent(int part, int whole) {
        return Math.round(100.0 * part / Math.max(1, whole)) + " %";
    }

    private static String interval(double micros) {
        return String.format(Locale.ROOT, micros < 10_000_000 ? "%.1f s" : "%.0f s", micros / 1_000_000);
    }

    private static String shown(String agent) {
        return agent.length() <= 60 ? agent : agent.substring(0, 57) + "...";
    }

    /** What the requests of a client add up to. */
    private final class Numbers {
        final int[] byGroup = new int[4];
        final int mostInMinute;
        final double meanInterval;
        /** The standard deviation of the intervals as a part of their mean. */
        final double deviation;
        /** In how many hours of the day there is a request. */
        final int hours;

        int assets;
        int top;
        int topCount;

        Numbers(Events events) {
            int hourBits = 0;
            double squares = 0;
            for (int i = 0; i < events.count(); i++) {
                byGroup[Endpoints.statusGroup(events.mark(i))]++;
                count(Endpoints.endpoint(events.mark(i)));
                hourBits |= 1 << (int) Math.floorMod((events.time(i) + zoneMicros) / HOUR, (long) HOURS);
                double interval = i == 0 ? 0 : events.time(i) - events.time(i - 1);
                squares += interval * interval;
            }
            for (int i = 0; i < events.count(); i++) {
                byEndpoint[Endpoints.endpoint(events.mark(i))] = 0;
            }
            int intervals = Math.max(1, events.count() - 1);
            meanInterval =
                    events.count() == 0 ? 0 : (events.time(events.count() - 1) - events.time(0)) / (double) intervals;
            double variance = Math.max(0, squares / intervals - meanInterval * meanInterval);
            deviation = meanInterval == 0 ? 0 : Math.sqrt(variance) / meanInterval;
            mostInMinute = SlidingCounts.most(events, MINUTE);
            hours = Integer.bitCount(hourBits);
        }

        private void count(int endpoint) {
            assets += endpoints.get(endpoint).asset() ? 1 : 0;
            if (++byEndpoint[endpoint] > topCount) {
                topCount = byEndpoint[endpoint];
                top = endpoint;
            }
        }
    }
}
