package dev.sluice.bench.chaos;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisSentinels;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The faults. Each on real servers of its own. */
final class Faults {
    private static final Duration TO_FAIL_OVER = Duration.ofSeconds(30);

    private Faults() {}

    /** What is common to those with one server. */
    private abstract static class OnOneServer implements Fault {
        final RedisServer server;

        OnOneServer(String... options) {
            this.server = RedisServer.start(options);
        }

        @Override
        public String url() {
            return server.url();
        }

        @Override
        public void end() {}

        @Override
        public void close() {
            server.close();
        }
    }

    /** A server that writes everything down before it answers. What is written outlives the process. */
    static Fault killed() {
        return new OnOneServer("--appendonly", "yes", "--appendfsync", "no") {
            @Override
            public void begin() {
                server.kill();
            }

            @Override
            public void end() {
                server.restart();
            }
        };
    }

    static Fault frozen() {
        return new OnOneServer() {
            @Override
            public void begin() {
                server.pause();
            }

            @Override
            public void end() {
                server.resume();
            }
        };
    }

    static Fault scriptsFlushed() {
        return new OnOneServer() {
            private final Thread flusher = new Thread(this::flush, "chaos-flusher");
            private volatile boolean ended;

            @Override
            public void begin() {
                flusher.start();
            }

            private void flush() {
                while (!ended) {
                    server.command("SCRIPT", "FLUSH");
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }

            @Override
            public void end() {
                ended = true;
                try {
                    flusher.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    static Fault flushed() {
        return new OnOneServer() {
            @Override
            public void begin() {
                server.command("FLUSHALL");
            }
        };
    }

    static Fault full() {
        return new OnOneServer("--maxmemory-policy", "noeviction") {
            @Override
            public void begin() {
                server.command("CONFIG", "SET", "maxmemory", "500kb"); // it uses more than that by itself
            }

            @Override
            public void end() {
                server.command("CONFIG", "SET", "maxmemory", "0");
            }
        };
    }

    static Fault notThereYet() {
        return new OnOneServer() {
            {
                server.kill();
            }

            @Override
            public void begin() {}

            @Override
            public void end() {
                server.restart();
            }
        };
    }

    static Fault clusterMasterKilled() {
        return clusterMasterGone(RedisServer::kill);
    }

    static Fault clusterMasterFrozen() {
        return clusterMasterGone(RedisServer::pause);
    }

    private static Fault clusterMasterGone(Consumer<RedisServer> gone) {
        RedisCluster cluster = RedisCluster.start();
        RedisServer master = cluster.masters().get(0);
        RedisServer replica = cluster.replicaOf(master);
        List<long[]> slots = slots(master);
        return new Fault() {
            @Override
            public String url() {
                return cluster.url();
            }

            @Override
            public boolean hits(String redisKey) {
                int slot = SlotHash.getSlot(redisKey);
                return slots.stream().anyMatch(range -> range[0] <= slot && slot <= range[1]);
            }

            @Override
            public void begin() {
                gone.accept(master);
            }

            @Override
            public Duration lasts(Effort effort) {
                return Duration.ZERO;
            }

            @Override
            public void end() {
                awaitPromotion(replica);
                Eventually.holds(
                        replica + " says that the cluster is well",
                        TO_FAIL_OVER,
                        () -> replica.text("CLUSTER", "INFO").contains("cluster_state:ok"));
            }

            @Override
            public void close() {
                cluster.close();
            }
        };
    }

    static Fault sentinelMasterKilled() {
        return sentinelMasterGone(RedisServer::kill);
    }

    static Fault sentinelMasterFrozen() {
        return sentinelMasterGone(RedisServer::pause);
    }

    private static Fault sentinelMasterGone(Consumer<RedisServer> gone) {
        RedisSentinels group = RedisSentinels.start();
        RedisServer master = group.master();
        return new Fault() {
            @Override
            public String url() {
                return group.url();
            }

            @Override
            public void begin() {
                gone.accept(master);
            }

            @Override
            public Duration lasts(Effort effort) {
                return Duration.ZERO;
            }

            @Override
            public void end() {
                Eventually.holds(
                        "the Sentinels name another master",
                        TO_FAIL_OVER,
                        () -> !group.master().equals(master));
                awaitPromotion(group.master());
            }

            @Override
            public void close() {
                group.close();
            }
        };
    }

    private static void awaitPromotion(RedisServer replica) {
        Eventually.holds(
                replica + " is promoted",
                TO_FAIL_OVER,
                () -> replica.list("ROLE").get(0).equals("master"));
    }

    /** The ranges of slots that are served by a master. */
    private static List<long[]> slots(RedisServer master) {
        if (!(master.command("CLUSTER", "SLOTS") instanceof List<?> ranges)) {
            throw new IllegalStateException(master + " has no slots");
        }
        return ranges.stream()
                .map(range -> (List<?>) range)
                .filter(range ->
                        range.get(2) instanceof List<?> node && node.get(1).equals((long) master.port()))
                .map(range -> new long[] {(Long) range.get(0), (Long) range.get(1)})
                .toList();
    }
}
