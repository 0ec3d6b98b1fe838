package dev.sluice.redis.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback that nobody uses.
 *
 * <p>Why they are not left to the system: it hands out ports of outgoing connections, and one of those may take the port
 * of a server that was killed before it is started again. A node of a cluster also needs the port 10,000 above its own.
 */
final class Ports {
    static final int TO_BUS = 10_000;

    private static final int FIRST = 11_000;
    private static final int END = 22_000; // so that the buses end below 32,768, where outgoing connections begin
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    static int free() {
        for (int i = 0; i < END - FIRST; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (GIVEN.add(port) && isFree(port) && isFree(port + TO_BUS)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + FIRST + " and " + END);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
