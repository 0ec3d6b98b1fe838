package dev.sluice.examples.flashsale;

import dev.sluice.examples.flashsale.shop.ShopApplication;
import dev.sluice.examples.flashsale.shop.Warehouse;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.h2.tools.Server;
import redis.embedded.core.ExecutableProvider;

/** Everything that a sale needs, on free ports of this machine: database, Redis, service, two shops, nginx. */
final class Layers {
    private final Programs programs;
    private final Path root;
    private final Path example;
    private final String redisServer;
    private final int redisPort;
    private final int servicePort;
    private final int adminPort;
    private final List<Integer> shopPorts;
    private final int nginxPort;
    private final String database;
    private final Warehouse warehouse;
    private Program redis;

    /**
     * Starts everything and waits until it is ready.
     *
     * @param programs where it is started; whoever made it ends it
     * @param root the folder of the project, whose server is built
     */
    Layers(Programs programs, Path root, int stock) throws IOException, InterruptedException, SQLException {
        this.programs = programs;
        this.root = root.toAbsolutePath().normalize();
        this.example = this.root.resolve("examples/flash-sale");
        this.redisServer = findRedis(programs.folder());
        List<Integer> ports = freePorts(6);
        redisPort = ports.get(0);
        servicePort = ports.get(1);
        adminPort = ports.get(2);
        shopPorts = ports.subList(3, 5);
        nginxPort = ports.get(5);

        warehouse = programs.end(new Warehouse("jdbc:h2:mem:sale")); // the database is there until this is closed
        warehouse.fill(stock);
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Server server = Server.createTcpServer("-tcpPort", "0").start(); // for the shops
        programs.end(server::stop);
        database = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:sale;LOCK_TIMEOUT=20000";

        redis = startRedis();
        Program service = startService();
        Program shop = startShop(shopPorts.get(0));
        Program another = startShop(shopPorts.get(1));
        service.awaitPort(servicePort);
        shop.awaitPort(shopPorts.get(0));
        another.awaitPort(shopPorts.get(1));
        startNginx().awaitPort(nginxPort);
        warmUp();
    }

    /** A few requests through all layers to each shop: it all works, and the crowd does not meet a cold JVM. */
    private void warmUp() throws IOException, InterruptedException {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest look =
                HttpRequest.newBuilder(URI.create(address() + "/api/stock")).build();
        for (int i = 0; i < 4 * shopPorts.size(); i++) {
            HttpResponse<String> response = http.send(look, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException(look + ": " + response.statusCode() + " " + response.body());
            }
        }
    }

    /** Where the browser and the crowd go. */
    String address() {
        return "http://127.0.0.1:" + nginxPort;
    }

    /** Where the metrics of the service are. */
    String serviceMetrics() {
        return "http://127.0.0.1:" + adminPort + "/metrics";
    }

    /** Where the metrics of each shop are. */
    List<String> shopMetrics() {
        return shopPorts.stream()
                .map(port -> "http://127.0.0.1:" + port + "/actuator/metrics/")
                .toList();
    }

    Warehouse warehouse() {
        return warehouse;
    }

    void killRedis() {
        redis.kill();
    }

    /** Starts Redis again, with what it had written to its file. */
    void reviveRedis() throws IOException, InterruptedException {
        redis = startRedis();
    }

    private Program startRedis() throws IOException, InterruptedException {
        Program program = programs.start(
                "redis",
                List.of(redisServer, "--port", "" + redisPort, "--bind", "127.0.0.1"),
                "--dir",
                programs.folder().toString(),
                "--save",
                "",
                "--appendonly",
                "yes");
        program.awaitPort(redisPort);
        return program;
    }

    private Program startService() throws IOException {
        Path target = root.resolve("server/target");
        Path jar;
        try (Stream<Path> files = Files.list(target)) {
            jar = files.filter(file -> file.getFileName().toString().matches("sluice-server-[0-9.]+(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("the service is not built: there is no jar in " + target));
        }
        return programs.start(
                "service",
                Programs.java(jar + File.pathSeparator + target.resolve("lib/*"), "dev.sluice.server.cli.Main"),
                "serve",
                "--rules=" + example.resolve("rules.yaml"),
                "--store=redis://127.0.0.1:" + redisPort,
                "--store-timeout=500",
                "--port=" + servicePort,
                "--admin-port=" + adminPort,
                "--drain=0",
                "--grace=1");
    }

    private Program startShop(int port) throws IOException {
        return programs.start(
                "shop-" + port,
                Programs.java(System.getProperty("java.class.path"), ShopApplication.class.getName()),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--shop.database=" + database,
                "--sluice.store=redis://127.0.0.1:" + redisPort);
    }

    private Program startNginx() throws IOException {
        String nginx = Programs.find("SLUICE_NGINX", "nginx")
                .orElseThrow(() -> new IOException("there is no nginx on the PATH; SLUICE_NGINX can name one"));
        String configuration = Files.readString(example.resolve("nginx.conf"))
                .replace("127.0.0.1:8000", "127.0.0.1:" + nginxPort)
                .replace("127.0.0.1:8080", "127.0.0.1:" + servicePort)
                .replace("127.0.0.1:3001", "127.0.0.1:" + shopPorts.get(0))
                .replace("127.0.0.1:3002", "127.0.0.1:" + shopPorts.get(1));
        Path folder = programs.folder();
        Path file = Files.writeString(folder.resolve("nginx.conf"), configuration);
        return programs.start("nginx", List.of(nginx, "-e", "stderr"), "-p", folder.toString(), "-c", file.toString());
    }

    /** The one on this machine, or else the one that comes with the tests. */
    private static String findRedis(Path folder) throws IOException {
        Optional<String> installed = Programs.find("SLUICE_TEST_REDIS", "redis-server");
        return installed.isPresent()
                ? installed.get()
                : ExecutableProvider.newJarResourceProvider(folder.toFile())
                        .get()
                        .toString();
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket each : sockets) {
                each.close();
            }
        }
    }
}
