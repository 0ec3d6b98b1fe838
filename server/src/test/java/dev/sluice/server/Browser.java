package dev.sluice.server;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real, headless Chromium, spoken to by its DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final BlockingQueue<JsonObject> replies = new LinkedBlockingQueue<>();
    private String session = "";
    private int calls;

    private Browser(Process process, Path profile, URI address) {
        this.process = process;
        this.profile = profile;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(address, new Listener())
                .join();
    }

    /** The path of Chromium: what SLUICE_CHROMIUM names, or one on the PATH. */
    static Optional<Path> find() {
        @Nullable String named = System.getenv("SLUICE_CHROMIUM");
        if (named != null && !named.isBlank()) {
            return Optional.of(Path.of(named));
        }
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(":", -1))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Browser open(Path chromium, String url) throws IOException {
        Path profile = Files.createTempDirectory("sluice-browser");
        Process process = new ProcessBuilder(
                        chromium.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--no-first-run",
                        "--window-size=1240,1400",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Browser browser = new Browser(process, profile, address(process));
        JsonObject target = browser.call("Target.createTarget", new JsonObject().put("url", url));
        browser.session = browser.call(
                        "Target.attachToTarget",
                        new JsonObject()
                                .put("targetId", target.getString("targetId"))
                                .put("flatten", true))
                .getString("sessionId");
        return browser;
    }

    private static URI address(Process process) throws IOException {
        BufferedReader lines = process.errorReader();
        String line;
        while ((line = lines.readLine()) != null) {
            if (line.startsWith("DevTools listening on ")) {
                Thread drain = new Thread(() -> lines.lines().forEach(said -> {}), "browser-stderr");
                drain.setDaemon(true);
                drain.start();
                return URI.create(line.substring("DevTools listening on ".length()));
            }
        }
        throw new IOException("the browser ended before it could be spoken to");
    }

    /** The value of a JavaScript expression, as text. */
    String evaluate(String expression) {
        JsonObject reply = call(
                "Runtime.evaluate",
                new JsonObject().put("expression", "String(" + expression + ")").put("awaitPromise", true));
        if (reply.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + " threw " + reply.encode());
        }
        return reply.getJsonObject("result").getString("value");
    }

    /** Waits until an expression has a value. */
    void await(String expression, String value) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String seen = "";
        while (System.nanoTime() < deadline) {
            seen = evaluate(expression);
            if (seen.equals(value)) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new AssertionError(expression + " should become '" + value + "', was '" + seen + "'");
    }

    /** Types into a field as a person would see it happen. */
    void type(String name, String value) {
        evaluate("(f => { f.value = '" + value + "'; f.dispatchEvent(new Event('input', {bubbles: true})); })"
                + "(document.querySelector('[name=" + name + "]'))");
    }

    /** What the window shows, as a PNG. */
    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", new JsonObject()).getString("data"));
    }

    private JsonObject call(String method, JsonObject parameters) {
        int id = ++calls;
        JsonObject message =
                new JsonObject().put("id", id).put("method", method).put("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        socket.sendText(message.encode(), true).join();
        try {
            while (true) {
                @Nullable JsonObject reply = replies.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (reply == null) {
                    throw new AssertionError("no answer to " + message.encode());
                }
                if (reply.getInteger("id", 0) == id) {
                    if (!reply.containsKey("result")) {
                        throw new AssertionError(method + " failed: " + reply.encode());
                    }
                    return reply.getJsonObject("result");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Asks it to end, and waits for all of its processes; then what they wrote can be removed. */
    @Override
    public void close() throws IOException {
        List<ProcessHandle> processes = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        session = "";
        call("Browser.close", new JsonObject());
        socket.abort();
        for (ProcessHandle each : processes) {
            each.onExit()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .exceptionally(late -> {
                        each.destroyForcibly();
                        return each;
                    })
                    .join();
        }
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                replies.add(new JsonObject(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
