package dev.sluice.simulate.suggest;

/** The numbers by which clients are told apart and limits are chosen, each with its reason. */
final class Thresholds {
    private Thresholds() {}

    // ---- Clients

    /** Below this many requests nothing can be said of a client, and it counts as a person. */
    static final int MIN_REQUESTS = 20;

    /** A person who has forgotten a password gives up, or asks for another, after a few attempts. */
    static final int ATTACK_REFUSALS = 10;

    /** Of the requests of a person or a program that works, most are answered. */
    static final double MOST = 0.5;

    /** A client that repeats one call spends nearly all its requests on it. */
    static final double ONE_ENDPOINT = 0.8;

    /** A failing call every three seconds: a program that backs off is slower, and a monitor of a dead service too. */
    static final int HASTY_PER_MINUTE = 20;

    /** People follow links: they do not meet twenty different paths that are not there. */
    static final int SCANNED_PATHS = 20;

    /** A browser loads the images and styles of at least one of so many pages. */
    static final int PAGES_WITHOUT_ASSETS = 100;

    /** Pages without images and styles tell only where people load some: at least this share of all requests. */
    static final double ASSETS_OF_PEOPLE = 0.1;

    /** The deviation of the intervals of a program from their mean, as a part of it. People come in bursts: 2 and more. */
    static final double STEADY = 0.6;

    /** A program is awake in nearly all hours of the day. */
    static final int HOURS_AWAKE = 22;

    /** Nine of ten clients show what is usual, also where one in ten is abusive. */
    static final int BUSIEST = 10;

    /** Several people behind one address are some times busier than one person is; a flood is more than that. */
    static final int FLOOD_TIMES = 20;

    // ---- Limits

    /** A window is looked at if the log is about as long: a log of a day ends a moment before the day does. */
    static final double WINDOW_IN_LOG = 0.9;

    /** A window is proposed if the log has two of it, so that the halves can be compared. */
    static final int WINDOWS_TO_PROPOSE = 2;

    /**
     * A longer window is proposed only if it cuts at least this much more: who is cut by mistake is free again sooner with a
     * short one.
     */
    static final double NEARLY_AS_MUCH = 0.01;

    /** A count of L varies by the root of L by chance alone; twice that is left free above what was seen. */
    static final double HEADROOM_ROOTS = 2;

    /** Nobody should be locked out of an endpoint by five attempts. */
    static final int MIN_PERMITS = 5;

    /** With fewer clients than this on an endpoint, their needs are not known. */
    static final int MIN_EVIDENCE = 20;

    /** What a client that works surely gets along with, if its needs are not known: a call every six seconds. */
    static final int PERMITS_WITHOUT_EVIDENCE = 10;

    /** An endpoint gets a rule of its own if so much of what a kind of abuse does goes there. */
    static final double ENDPOINT_OF_ABUSE = 0.2;

    /** More rules than this are not easier to keep than the abuse to bear. */
    static final int MAX_ENDPOINT_RULES = 4;

    /** From so many refusals of clients that are not left out, an attack spread over many addresses is looked for. */
    static final int SPREAD_REFUSALS = 50;

    /** Fewer clients than this are usually proxies. */
    static final int FEW_CLIENTS = 5;

    /** From so many requests on, few clients are remarkable. */
    static final int MANY_REQUESTS = 1000;
}
