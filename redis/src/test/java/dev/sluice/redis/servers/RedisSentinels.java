package dev.sluice.redis.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A master and two replicas on loopback, watched by three Sentinels. */
public final class RedisSentinels implements AutoCloseable {
    /** What the Sentinels call the group. */
    public static final String MASTER = "mymaster";

    private static final int SERVERS = 3;
    private static final int SENTINELS = 3;
    private static final Duration TO_FORM = Duration.ofSeconds(30);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /** Starts the standard binary with more options for the master and its replicas. */
    public static RedisSentinels start(String... options) {
        return start(RedisBinary.standard(), options);
    }

    /** Starts a binary with more options for the master and its replicas. */
    public static RedisSentinels start(RedisBinary binary, String... options) {
        return start(binary, List.of(), options);
    }

    /** The same with Sentinels that ask for a password, which is not the master's. */
    public static RedisSentinels startWithSentinelPassword(String password, String... options) {
        return start(
                RedisBinary.standard(),
                List.of("requirepass " + password, "sentinel sentinel-pass " + password),
                options);
    }

    private static RedisSentinels start(RedisBinary binary, List<String> sentinelLines, String... options) {
        RedisSentinels group = new RedisSentinels();
        try {
            group.launchServers(binary, Arrays.asList(options));
            group.launchSentinels(binary, sentinelLines, Arrays.asList(options));
            group.awaitReady();
            return group;
        } catch (RuntimeException | AssertionError e) {
            group.close();
            throw e;
        }
    }

    /** {@code redis-sentinel://…#mymaster} with all Sentinels, without a password. */
    public String url() {
        return "redis-sentinel://"
                + sentinels.stream().map(RedisServer::address).collect(Collectors.joining(",")) + "#" + MASTER;
    }

    /** The master and the replicas, whichever they are. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Who is the master now, as the first Sentinel that runs says. */
    public RedisServer master() {
        return master(
                sentinels.stream().filter(RedisServer::isRunning).findFirst().orElseThrow());
    }

    /** Waits until all Sentinels that run name the same master, which answers as one, and all know each other. */
    public void awaitReady() {
        Eventually.holds("the Sentinels agree", TO_FORM, () -> {
            List<RedisServer> named =
                    running(sentinels).map(this::master).distinct().toList();
            return named.size() == 1
                    && named.get(0).text("INFO", "replication").contains("role:master")
                    && running(sentinels).allMatch(this::knowsAll);
        });
    }

    /** Makes a replica of one that was the master, as the Sentinels would some ten seconds later. */
    public void rejoin(RedisServer server) {
        Eventually.holds("it follows the master", TO_FORM, () -> {
            server.command("REPLICAOF", "127.0.0.1", Integer.toString(master().port()));
            return server.text("INFO", "replication").contains("role:slave");
        });
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }

    private void launchServers(RedisBinary binary, List<String> options) {
        List<String> all = new ArrayList<>(List.of("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"));
        all.addAll(options);
        int password = options.indexOf("--requirepass");
        if (password >= 0) {
            all.addAll(List.of("--masterauth", options.get(password + 1)));
        }
        servers.add(RedisServer.start(binary, all.toArray(String[]::new)));
        int master = servers.get(0).port();
        for (int i = 1; i < SERVERS; i++) {
            RedisServer replica = RedisServer.start(binary, all.toArray(String[]::new));
            servers.add(replica);
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(master));
        }
        Eventually.holds(
                "the replicas are linked",
                TO_FORM,
                () -> servers.stream()
                        .skip(1)
                        .allMatch(replica -> replica.text("INFO", "replication").contains("master_link_status:up")));
    }

    private void launchSentinels(RedisBinary binary, List<String> more, List<String> options) {
        List<String> lines = new ArrayList<>(more);
        lines.addAll(List.of(
                "sentinel monitor " + MASTER + " 127.0.0.1 " + servers.get(0).port() + " 2",
                "sentinel down-after-milliseconds " + MASTER + " 1000",
                "sentinel failover-timeout " + MASTER + " 3000"));
        int password = options.indexOf("--requirepass");
        if (password >= 0) {
            lines.add("sentinel auth-pass " + MASTER + " " + options.get(password + 1));
        }
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(RedisServer.startSentinel(binary, lines.toArray(String[]::new)));
        }
    }

    private RedisServer master(RedisServer sentinel) {
        int port = Integer.parseInt(
                sentinel.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER).get(1));
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a Sentinel knows a stranger on port " + port));
    }

    private boolean knowsAll(RedisServer sentinel) {
        List<String> known = sentinel.list("SENTINEL", "MASTER", MASTER);
        return value(known, "flags").equals("master")
                && value(known, "num-slaves").equals("" + (SERVERS - 1))
                && value(known, "num-other-sentinels").equals("" + (SENTINELS - 1));
    }

    private static String value(List<String> pairs, String name) {
        int at = pairs.indexOf(name);
        return at < 0 ? "" : pairs.get(at + 1);
    }

    private static Stream<RedisServer> running(List<RedisServer> all) {
        return all.stream().filter(RedisServer::isRunning);
    }
}
