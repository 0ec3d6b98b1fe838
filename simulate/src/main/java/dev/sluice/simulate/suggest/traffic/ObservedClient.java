package dev.sluice.simulate.suggest.traffic;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A client of a log: its requests, and what else tells people from programs. */
public final class ObservedClient {
    /** About how many bytes of memory a client takes without its requests. */
    static final int BYTES = 320;

    /** How many requests of a client are timed; more are only counted. */
    public static final int MAX_TIMED = 4_000_000;

    private static final int MAX_AGENT = 256;
    private static final int PATH_BITS = 128;
    private static final Pattern BOT = Pattern.compile("bot\\b|bot/|crawl|spider|slurp|archiver|\\+https?://");

    private final String key;
    private final Timeline timeline = new Timeline();
    private long requests;
    private @Nullable String agent;
    private boolean severalAgents;
    /** A bit for each hash of a path: how many are set tells how many paths there are. */
    private long paths0;

    private long paths1;

    ObservedClient(String key) {
        this.key = key;
    }

    /** Adds a request, and returns by how many bytes this grew. */
    int add(long micros, int mark, @Nullable String path, @Nullable String userAgent) {
        requests++;
        if (path != null) {
            int hash = path.hashCode() * 0x9E3779B9;
            long bit = 1L << (hash >>> 26);
            if ((hash >>> 25 & 1) == 0) {
                paths0 |= bit;
            } else {
                paths1 |= bit;
            }
        }
        int grown = userAgent == null ? 0 : agent(userAgent);
        return timeline.count() < MAX_TIMED ? grown + timeline.add(micros, mark) : grown;
    }

    private int agent(String userAgent) {
        String start = userAgent.length() <= MAX_AGENT ? userAgent : userAgent.substring(0, MAX_AGENT);
        if (agent == null) {
            agent = start;
            return start.length();
        }
        severalAgents |= !agent.equals(start);
        return 0;
    }

    /** The key by which its requests were told from others. */
    public String key() {
        return key;
    }

    /** How many requests it made. */
    public long requests() {
        return requests;
    }

    /** The first user agent; empty if there is none. */
    public String agent() {
        return agent == null ? "" : agent;
    }

    /** Writes its requests, as far as they are timed, to {@code events}, in place of what was there. */
    public void read(Events events) {
        timeline.read(events);
    }

    /** Whether it sent more than one user agent. */
    public boolean hasSeveralAgents() {
        return severalAgents;
    }

    /** Whether its user agent is that of a bot. */
    public boolean saysThatItIsABot() {
        return BOT.matcher(agent().toLowerCase(Locale.ROOT)).find();
    }

    /** Whether its user agent is that of a browser. */
    public boolean saysThatItIsABrowser() {
        return agent().startsWith("Mozilla/") && !saysThatItIsABot();
    }

    /** About how many different paths it asked for: within a tenth up to 100, and a lower bound from 600 on. */
    public int paths() {
        int empty = PATH_BITS - Long.bitCount(paths0) - Long.bitCount(paths1);
        return (int) Math.round(PATH_BITS * Math.log(PATH_BITS / (double) Math.max(1, empty)));
    }
}
