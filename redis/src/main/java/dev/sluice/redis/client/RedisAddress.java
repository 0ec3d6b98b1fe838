package dev.sluice.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis, read from a URL.
 *
 * <pre>
 *   redis://[[user]:password@]host[:port][/database]
 *   redis-sentinel://[[user]:password@]host[:port],host[:port]…[/database]#master
 *   redis-cluster://[[user]:password@]host[:port],host[:port]…
 *   the same with rediss, rediss-sentinel and rediss-cluster: over TLS
 * </pre>
 */
public record RedisAddress(
        Kind kind,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        List<Node> nodes,
        int database,
        String master) {
    /** How the servers at an address are organised. */
    public enum Kind {
        STANDALONE,
        SENTINEL,
        CLUSTER
    }

    /** One host and port of an address. */
    public record Node(String host, int port) {
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /** The login ends at the last '@', so that an error never shows a part of a password. */
    private static final Pattern FORM = Pattern.compile(
            "(?<scheme>[a-z-]+)://(?:(?<login>.*)@)?(?<nodes>[^@/#?]*)(?:/(?<database>[^@#?]*))?(?:#(?<master>[^@]*))?",
            Pattern.DOTALL);

    private static final Pattern NODE =
            Pattern.compile("(?<host>\\[[0-9a-fA-F:.%]+]|[^\\s:%\\[\\]]+)(?::(?<port>[0-9]{1,5}))?");
    private static final Pattern RESERVED = Pattern.compile("[/@#?]");
    private static final int REDIS_PORT = 6379;
    private static final int SENTINEL_PORT = 26379;
    private static final int MAX_CAUSES = 8;

    /** Reads a URL; the password never appears in a message. */
    public static RedisAddress of(String url) {
        Matcher form = FORM.matcher(url);
        if (!form.matches()) {
            throw bad(
                    url,
                    url.indexOf('?', url.lastIndexOf('@') + 1) >= 0
                            ? "parameters after a '?' are not supported: set them with the builder"
                            : "expected redis://host:port/database");
        }
        String scheme = form.group("scheme");
        boolean tls = scheme.startsWith("rediss");
        Kind kind = switch (tls ? "redis" + scheme.substring("rediss".length()) : scheme) {
            case "redis" -> Kind.STANDALONE;
            case "redis-sentinel" -> Kind.SENTINEL;
            case "redis-cluster" -> Kind.CLUSTER;
            default ->
                throw bad(
                        url,
                        "its scheme '" + scheme
                                + "' is none of redis, redis-sentinel, redis-cluster, and rediss for TLS");
        };
        String[] login = login(url, form.group("login"));
        String master = form.group("master");
        if ((kind == Kind.SENTINEL) != (master != null && !master.isEmpty())) {
            throw bad(
                    url,
                    kind == Kind.SENTINEL
                            ? "Sentinel needs the name of the master after a '#', as in redis-sentinel://a:26379,b:26379#mymaster"
                            : "only redis-sentinel:// takes the name of a master after a '#'");
        }
        return new RedisAddress(
                kind,
                tls,
                login[0].isEmpty() ? null : login[0],
                login[1].isEmpty() ? null : login[1],
                nodes(url, form.group("nodes"), kind),
                database(url, form.group("database"), kind),
                master == null ? "" : master);
    }

    /** The address without its password, for messages. */
    @Override
    public String toString() {
        return (tls ? "rediss" : "redis")
                + (kind == Kind.STANDALONE ? "" : "-" + kind.name().toLowerCase(Locale.ROOT))
                + "://"
                + String.join(",", nodes.stream().map(Node::toString).toList())
                + (database == 0 ? "" : "/" + database)
                + (master.isEmpty() ? "" : "#" + master);
    }

    /** What the server at this address is called in counters and messages. */
    String name() {
        return kind == Kind.SENTINEL ? master : nodes.get(0).toString();
    }

    /** The same address, where a node of a cluster was found at the other end. */
    RedisAddress asCluster() {
        if (database != 0) {
            throw new IllegalStateException("there is a cluster, which has no databases, but /" + database
                    + " is in the address: write redis" + (tls ? "s" : "") + "-cluster://host:port");
        }
        return new RedisAddress(Kind.CLUSTER, tls, user, password, nodes, 0, "");
    }

    /** The failure to connect to a Sentinel as if it were Redis. */
    IllegalStateException isSentinel() {
        return new IllegalStateException(
                "there is a Sentinel and not Redis: write redis" + (tls ? "s" : "") + "-sentinel://host:port#master");
    }

    /** The login in the URL, or null if there is none. */
    public @Nullable Login login() {
        String password = this.password;
        return password == null ? null : new Login(user, () -> password);
    }

    /** The failure to connect, with the message of its root cause: clients wrap it in messages that say less. */
    IllegalStateException unreachable(RuntimeException failure) {
        Throwable bottom = failure;
        for (int i = 0; i < MAX_CAUSES; i++) {
            Throwable[] suppressed = bottom.getSuppressed();
            Throwable next = bottom.getCause() == null && suppressed.length > 0 ? suppressed[0] : bottom.getCause();
            if (next == null) {
                break;
            }
            bottom = next;
        }
        String why = bottom.getMessage() == null ? bottom.toString() : bottom.getMessage();
        return new IllegalStateException("cannot connect to " + this + ": " + why, failure);
    }

    /** The user and the password, each empty if absent. */
    private static String[] login(String url, @Nullable String text) {
        if (text == null) {
            return new String[] {"", ""};
        }
        if (RESERVED.matcher(text).find()) {
            throw bad(url, "in a user or password write %2F for '/', %40 for '@', %23 for '#' and %3F for '?'");
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw bad(url, "expected user:password or :password before the '@', but there is no ':'");
        }
        if (colon == text.length() - 1) {
            throw bad(url, "its password is empty; without a password, leave out the '@' and everything before it");
        }
        return new String[] {decoded(url, text.substring(0, colon)), decoded(url, text.substring(colon + 1))};
    }

    private static String decoded(String url, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), UTF_8); // a plus is a space in forms only
        } catch (IllegalArgumentException e) {
            throw bad(url, "in its user or password a '%' is not followed by two hexadecimal digits; a '%' is %25");
        }
    }

    private static List<Node> nodes(String url, String text, Kind kind) {
        List<Node> nodes = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            Matcher node = NODE.matcher(each);
            if (!node.matches()) {
                throw bad(url, "'" + each + "' is not host or host:port");
            }
            String port = node.group("port");
            int standard = kind == Kind.SENTINEL ? SENTINEL_PORT : REDIS_PORT;
            int number = port == null ? standard : Integer.parseInt(port);
            if (number < 1 || number > 65535) {
                throw bad(url, "a port is 1 to 65535, was " + port);
            }
            String host = node.group("host");
            nodes.add(new Node(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, number));
        }
        if (kind == Kind.STANDALONE && nodes.size() > 1) {
            throw bad(url, "several hosts need redis-cluster:// or redis-sentinel://");
        }
        return List.copyOf(nodes);
    }

    private static int database(String url, @Nullable String text, Kind kind) {
        if (text == null || text.isEmpty()) {
            return 0;
        }
        if (kind == Kind.CLUSTER) {
            throw bad(url, "a cluster has no databases, so nothing may follow the hosts, but '/" + text + "' does");
        }
        if (!text.matches("[0-9]{1,4}")) {
            throw bad(url, "a database is a number from 0 to 9999, was '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static IllegalArgumentException bad(String url, String why) {
        String harmless = url.replaceFirst("(?s)//.*@", "//…@");
        return new IllegalArgumentException("not the address of a Redis: '" + harmless + "': " + why);
    }
}
