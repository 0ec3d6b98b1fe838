package dev.sluice.redis.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real cluster on loopback: three masters, each with a replica. */
public final class RedisCluster implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final Duration TO_FORM = Duration.ofSeconds(30);

    /** A line of CLUSTER NODES. */
    private record Node(String id, int port, String flags, String masterId) {
        static Node of(String line) {
            String[] words = line.split(" ", -1);
            String address = words[1].substring(0, words[1].indexOf('@'));
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            return new Node(words[0], port, words[2], words[3]);
        }

        boolean isMaster() {
            return flags.contains("master") && !flags.contains("fail");
        }
    }

    private final List<RedisServer> servers = new ArrayList<>();
    /** Nodes that clients reach through the proxy on a port. */
    private final Map<Integer, RedisServer> proxied = new ConcurrentHashMap<>();

    private RedisCluster() {}

    /** Starts the standard binary with more options for every node. */
    public static RedisCluster start(String... options) {
        return start(RedisBinary.standard(), options);
    }

    /** Starts a binary with more options for every node. */
    public static RedisCluster start(RedisBinary binary, String... options) {
        return start(binary, null, options);
    }

    /** Starts the standard binary; clients are told the port of a proxy in place of the first master's own. */
    public static RedisCluster startBehind(FaultyProxy proxy) {
        return start(RedisBinary.standard(), proxy);
    }

    private static RedisCluster start(RedisBinary binary, @Nullable FaultyProxy proxy, String... options) {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.launch(binary, proxy, options);
            cluster.form();
            cluster.awaitReady();
            return cluster;
        } catch (RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    /** {@code redis-cluster://…} with all nodes, without a password. */
    public String url() {
        return "redis-cluster://" + servers.stream().map(RedisServer::address).collect(Collectors.joining(","));
    }

    /** All six, masters and replicas. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** Those that are masters now, as the first node that answers sees it. */
    public List<RedisServer> masters() {
        return nodes().stream()
                .filter(Node::isMaster)
                .map(node -> server(node.port))
                .toList();
    }

    /** The master that has the slot of a key. */
    public RedisServer masterOf(String key) {
        long slot = asked().number("CLUSTER", "KEYSLOT", key);
        if (asked().command("CLUSTER", "SLOTS") instanceof List<?> ranges) {
            for (Object each : ranges) {
                // the first slot, the last one, the address and port of the master, …
                if (each instanceof List<?> range
                        && (Long) range.get(0) <= slot
                        && slot <= (Long) range.get(1)
                        && range.get(2) instanceof List<?> master
                        && master.get(1) instanceof Long port) {
                    return server(port.intValue());
                }
            }
        }
        throw new IllegalStateException("slot " + slot + " of " + key + " has no master");
    }

    /** The replica of a master. */
    public RedisServer replicaOf(RedisServer master) {
        List<Node> nodes = nodes();
        String id = nodes.stream()
                .filter(node -> server(node.port).equals(master))
                .findFirst()
                .map(Node::id)
                .orElseThrow();
        return nodes.stream()
                .filter(node -> node.masterId.equals(id))
                .findFirst()
                .map(node -> server(node.port))
                .orElseThrow(() -> new IllegalStateException(master + " has no replica"));
    }

    /** Waits until all nodes that run are well, agree on who is a master, and are linked to their replica or master. */
    public void awaitReady() {
        Eventually.holds(
                "the cluster is well",
                TO_FORM,
                () -> running().allMatch(server -> isWell(server) && isLinked(server))
                        && running().map(RedisCluster::rolesSeenBy).distinct().count() == 1,
                () -> running()
                        .map(server -> server + " says " + server.text("CLUSTER", "NODES"))
                        .collect(Collectors.joining("\n", "\n", "")));
    }

    /** Who is whose replica, and who is a master, in the eyes of a node. */
    private static Set<String> rolesSeenBy(RedisServer server) {
        return nodes(server)
                .map(node -> node.id + (node.isMaster() ? " is a master" : " follows " + node.masterId))
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }

    private void launch(RedisBinary binary, @Nullable FaultyProxy proxy, String... options) {
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1000"));
        all.addAll(List.of("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"));
        all.addAll(Arrays.asList(options));
        if (proxy != null) {
            List<String> announcing = new ArrayList<>(all);
            announcing.addAll(List.of("--cluster-announce-port", Integer.toString(proxy.port())));
            RedisServer first = RedisServer.start(binary, announcing.toArray(String[]::new));
            servers.add(first);
            proxied.put(proxy.port(), first);
            proxy.leadTo(first);
        }
        while (servers.size() < 2 * MASTERS) {
            servers.add(RedisServer.start(binary, all.toArray(String[]::new)));
        }
    }

    private void form() {
        for (int i = 0; i < servers.size(); i++) {
            servers.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < MASTERS) {
                servers.get(i).command(slots(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS));
            }
            if (i > 0) {
                servers.get(0)
                        .command(
                                "CLUSTER",
                                "MEET",
                                "127.0.0.1",
                                Integer.toString(servers.get(i).port()));
            }
        }
        Eventually.holds(
                "the nodes have met",
                TO_FORM,
                () -> running()
                        .allMatch(server -> nodes(server)
                                        .filter(node -> !node.flags.contains("handshake"))
                                        .count()
                                == servers.size()));
        for (int i = 0; i < MASTERS; i++) {
            servers.get(MASTERS + i)
                    .command("CLUSTER", "REPLICATE", servers.get(i).text("CLUSTER", "MYID"));
        }
        Eventually.holds(
                "every node knows three masters",
                TO_FORM,
                () -> running()
                        .allMatch(server -> nodes(server).filter(Node::isMaster).count() == MASTERS));
    }

    private static String[] slots(int from, int end) {
        List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
        for (int slot = from; slot < end; slot++) {
            words.add(Integer.toString(slot));
        }
        return words.toArray(String[]::new);
    }

    private static boolean isWell(RedisServer server) {
        String report = server.text("CLUSTER", "INFO");
        return RedisServer.field(report, "cluster_state").equals("ok")
                && RedisServer.field(report, "cluster_size").equals("" + MASTERS);
    }

    /** A replica to its master, and a master to its replica if that one runs. */
    private boolean isLinked(RedisServer server) {
        String report = server.text("INFO", "replication");
        if (RedisServer.field(report, "role").equals("slave")) {
            return RedisServer.field(report, "master_link_status").equals("up");
        }
        return running().count() < servers.size()
                || RedisServer.field(report, "connected_slaves").equals("1");
    }

    private RedisServer server(int port) {
        return Stream.concat(
                        Stream.ofNullable(proxied.get(port)), servers.stream().filter(server -> server.port() == port))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the cluster knows a stranger on port " + port));
    }

    private Stream<RedisServer> running() {
        return servers.stream().filter(RedisServer::isRunning);
    }

    private RedisServer asked() {
        return running().findFirst().orElseThrow(() -> new IllegalStateException("no node of the cluster is running"));
    }

    private List<Node> nodes() {
        return nodes(asked()).toList();
    }

    private static Stream<Node> nodes(RedisServer server) {
        return server.text("CLUSTER", "NODES").lines().map(Node::of);
    }
}
