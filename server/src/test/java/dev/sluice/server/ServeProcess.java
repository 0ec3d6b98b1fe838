package dev.sluice.server;

import dev.sluice.redis.servers.Signal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code sluice serve} as a process of its own, on free ports. Ready once it says so. */
public final class ServeProcess implements AutoCloseable {
    private static final Pattern STARTED = Pattern.compile("event=started port=(\\d+) adminPort=(\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> said = new ArrayList<>();
    private final Process process;
    private final BufferedReader reader;
    private int port;
    private int adminPort;

    private ServeProcess(Process process) {
        this.process = process;
        this.reader = process.inputReader();
    }

    public static ServeProcess start(Map<String, String> environment, String... options) throws IOException {
        return start(List.of(), environment, options);
    }

    /** The same with options of the JVM. */
    static ServeProcess start(List<String> flags, Map<String, String> environment, String... options)
            throws IOException {
        List<String> words = command(flags);
        if (!List.of(options).contains("--drain")) {
            words.addAll(List.of("--drain", "0"));
        }
        words.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().putAll(environment);
        ServeProcess server = new ServeProcess(builder.start());
        server.awaitReady();
        return server;
    }

    /** The command of such a process, for a test that starts it in its own way. */
    public static List<String> command(List<String> flags) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 23) { // as ./sluice has them: without, the JVM's warnings mix with the log
            words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        words.addAll(flags);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.sluice.server.cli.Main"));
        words.addAll(List.of("serve", "--port", "0", "--admin-port", "0"));
        return words;
    }

    private void awaitReady() throws IOException {
        String line;
        while ((line = reader.readLine()) != null) {
            said.add(line);
            Matcher started = STARTED.matcher(line);
            if (started.find()) {
                port = Integer.parseInt(started.group(1));
                adminPort = Integer.parseInt(started.group(2));
            }
            if (line.startsWith("Stop with")) {
                return;
            }
        }
        throw new IllegalStateException("ended before it was ready: " + said);
    }

    /** The data port. */
    public int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    int status(String path) {
        return get(port, path).statusCode();
    }

    /** What the admin port says. */
    String admin(String path) {
        return get(adminPort, path).body();
    }

    private HttpResponse<String> get(int port, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** As a service manager would; returns its exit code. */
    public int stop() throws IOException, InterruptedException {
        process.toHandle().destroy();
        reader.lines().forEach(said::add);
        return process.waitFor();
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void send(Signal signal) {
        signal.send(process.pid());
    }

    /** All that it has said until it was ready, and until it stopped. */
    public List<String> said() {
        return said;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
