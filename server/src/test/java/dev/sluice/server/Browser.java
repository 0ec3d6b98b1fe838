package dev.sluice.server;

import io.vertx.core.json.JsonArray;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real, headless Chromium, spoken to by its DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final BlockingQueue<JsonObject> replies = new LinkedBlockingQueue<>();
    private final List<String> problems = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile String session = "";
    private volatile String password = "";

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
        return value("String(" + expression + ")");
    }

    private String value(String expression) {
        JsonObject reply = call(
                "Runtime.evaluate",
                new JsonObject().put("expression", expression).put("awaitPromise", true));
        if (reply.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + " threw " + reply.encode());
        }
        return reply.getJsonObject("result").getString("value");
    }

    /** The value that the body of an asynchronous function returns, as text. */
    String run(String body) {
        return value("(async () => String(await (async () => {" + body + "})()))()");
    }

    /** Waits until an expression has a value. While a page loads it may throw, since there is no document yet. */
    void await(String expression, String value) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String seen = "";
        while (System.nanoTime() < deadline) {
            try {
                seen = evaluate(expression);
            } catch (AssertionError threw) {
                seen = String.valueOf(threw.getMessage());
            }
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

    /** Opens another page, and collects {@link #problems} from now on. */
    void go(String url) {
        call("Runtime.enable", new JsonObject());
        call("Log.enable", new JsonObject());
        call("Page.enable", new JsonObject());
        call("Page.navigate", new JsonObject().put("url", url));
    }

    /** Errors and warnings of the page: exceptions, what it wrote to the console, and what the browser did. */
    List<String> problems() {
        evaluate("0"); // what came before it is here then
        return List.copyOf(problems);
    }

    /** Clicks on the middle of an element, as a mouse does. */
    void click(String selector) {
        String[] middle = evaluate("(r => (r.x + r.width / 2) + ' ' + (r.y + r.height / 2))(document.querySelector('"
                        + selector + "').getBoundingClientRect())")
                .split(" ", -1);
        for (String type : List.of("mousePressed", "mouseReleased")) {
            call(
                    "Input.dispatchMouseEvent",
                    new JsonObject()
                            .put("type", type)
                            .put("x", Double.parseDouble(middle[0]))
                            .put("y", Double.parseDouble(middle[1]))
                            .put("button", "left")
                            .put("clickCount", 1));
        }
    }

    /** Draws a line on an element with the mouse; the places are shares of its width and height, from its upper left. */
    void drag(String selector, double fromX, double fromY, double toX, double toY) {
        String[] area = evaluate("(r => [r.x, r.y, r.width, r.height].join(' '))(document.querySelector('" + selector
                        + "').getBoundingClientRect())")
                .split(" ", -1);
        for (int i = 0; i <= 11; i++) {
            double share = Math.min(i, 10) / 10.0;
            call(
                    "Input.dispatchMouseEvent",
                    new JsonObject()
                            .put("type", i == 0 ? "mousePressed" : i == 11 ? "mouseReleased" : "mouseMoved")
                            .put("x", place(area[0], area[2], fromX + (toX - fromX) * share))
                            .put("y", place(area[1], area[3], fromY + (toY - fromY) * share))
                            .put("button", "left")
                            .put("buttons", i == 11 ? 0 : 1)
                            .put("clickCount", 1));
        }
    }

    private static double place(String start, String length, double share) {
        return Double.parseDouble(start) + Double.parseDouble(length) * share;
    }

    /** Presses a key that writes nothing but a line break: {@code Enter} or {@code Tab}. */
    void press(String key) {
        for (String type : List.of("keyDown", "keyUp")) {
            JsonObject event = new JsonObject()
                    .put("type", type)
                    .put("key", key)
                    .put("code", key)
                    .put("windowsVirtualKeyCode", key.equals("Tab") ? 9 : 13);
            call("Input.dispatchKeyEvent", key.equals("Enter") ? event.put("text", "\r") : event);
        }
    }

    /** Sets media features, such as {@code prefers-color-scheme}, and the width of the window. */
    void emulate(int width, Map<String, String> features) {
        emulate(width, 900, features);
    }

    /** The same with a height. */
    void emulate(int width, int height, Map<String, String> features) {
        JsonArray all = new JsonArray();
        features.forEach(
                (name, value) -> all.add(new JsonObject().put("name", name).put("value", value)));
        call("Emulation.setEmulatedMedia", new JsonObject().put("features", all));
        call(
                "Emulation.setDeviceMetricsOverride",
                new JsonObject()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
    }

    /** What the window shows, as a PNG. */
    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", new JsonObject()).getString("data"));
    }

    /** Answers with this password whenever a server asks its user for one; none cancels. */
    void password(String given) {
        password = given;
        call("Fetch.enable", new JsonObject().put("handleAuthRequests", true));
    }

    /** Sends a message without waiting for its reply; returns its number. */
    private synchronized int send(String method, JsonObject parameters) {
        int id = calls.incrementAndGet();
        JsonObject message =
                new JsonObject().put("id", id).put("method", method).put("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        socket.sendText(message.encode(), true).join();
        return id;
    }

    private JsonObject call(String method, JsonObject parameters) {
        int id = send(method, parameters);
        try {
            while (true) {
                @Nullable JsonObject reply = replies.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (reply == null) {
                    throw new AssertionError("no answer to " + method + " " + parameters.encode());
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

    private void note(JsonObject event) {
        JsonObject told = event.getJsonObject("params", new JsonObject());
        switch (event.getString("method", "")) {
            case "Runtime.exceptionThrown" -> problems.add(told.encode());
            case "Runtime.consoleAPICalled" -> {
                if (List.of("error", "warning", "assert").contains(told.getString("type"))) {
                    problems.add(told.encode());
                }
            }
            case "Log.entryAdded" -> {
                JsonObject entry = told.getJsonObject("entry");
                if (List.of("error", "warning").contains(entry.getString("level"))) {
                    problems.add(entry.getString("text"));
                }
            }
            case "Fetch.requestPaused" ->
                later("Fetch.continueRequest", new JsonObject().put("requestId", told.getString("requestId")));
            case "Fetch.authRequired" -> {
                JsonObject response = password.isEmpty()
                        ? new JsonObject().put("response", "CancelAuth")
                        : new JsonObject()
                                .put("response", "ProvideCredentials")
                                .put("username", "anybody")
                                .put("password", password);
                later(
                        "Fetch.continueWithAuth",
                        new JsonObject()
                                .put("requestId", told.getString("requestId"))
                                .put("authChallengeResponse", response));
            }
            default -> {}
        }
    }

    /** Sends a message from another thread than the one that listens, which must not wait. */
    private void later(String method, JsonObject parameters) {
        ForkJoinPool.commonPool().execute(() -> send(method, parameters));
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonObject message = new JsonObject(text.toString());
                note(message);
                replies.add(message);
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
