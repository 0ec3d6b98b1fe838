package dev.sluice.bench.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** All hostile clients at once, each on a thread of its own, at a bounded rate: they run on the machine of the server. */
final class HostileClients implements AutoCloseable {
    private final int port;
    private final Map<Hostile, LongAdder> connections = new EnumMap<>(Hostile.class);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    HostileClients(int port) {
        this.port = port;
        for (Hostile kind : Hostile.values()) {
            connections.put(kind, new LongAdder());
            for (int i = 0; i < kind.clients; i++) {
                Random random = new Random(31L * kind.label.hashCode() + i);
                Thread thread = new Thread(() -> attack(kind, random), kind.label);
                thread.setDaemon(true);
                threads.add(thread);
            }
        }
        threads.forEach(Thread::start);
    }

    private void attack(Hostile kind, Random random) {
        while (!over) {
            try (Connection connection = new Connection(port)) {
                count(kind).increment();
                kind.attack(connection, random);
            } catch (IOException e) {
                // the server has ended it, as it should
            }
            try {
                Thread.sleep(kind.restMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private LongAdder count(Hostile kind) {
        return connections.computeIfAbsent(kind, unseen -> new LongAdder());
    }

    /** How many connections clients of a kind have made. */
    long connections(Hostile kind) {
        return count(kind).sum();
    }

    @Override
    public void close() {
        over = true;
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            try {
                thread.join(5000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
