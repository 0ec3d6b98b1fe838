package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.replay.Replay;
import dev.sluice.simulate.replay.ReplayRules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A live server and a replay decide alike. Random requests go over sockets to a server on whose clock they come, and the
 * same requests as a log are replayed: each decision is the same, field by field. The server records them meanwhile, and
 * what it recorded gives the same decisions once more.
 */
class RecordedReplayTest {
    private static final int LOGS = Integer.getInteger("sluice.logs", 6);
    private static final int REQUESTS = 120;
    private static final long START = 1_794_787_200_000_000L;
    private static final String[] PATHS = {"/", "/a", "/a/b", "/a/../b", "/a%2fb", "/a;x/b", "//a", "/caf%C3%A9"};
    private static final String[] USERS = {"ada", "-", "", "a\"b\\c", "line\nbreak", "\u4e2d\u6587", "x".repeat(1500)};

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A request at a time. */
    private record Timed(long micros, Map<String, String> attributes, long cost) {
        String line() {
            return new JsonObject()
                            .put("time", micros)
                            .put("cost", cost)
                            .put("attributes", new JsonObject(new LinkedHashMap<>(attributes)))
                            .encode()
                    + "\n";
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aLiveServerDecidesAsAReplay(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < LOGS; i++) {
            String rules = rules(random);
            List<Timed> requests = requests(random);
            String name = "log " + i + " of seed " + seed + " on\n" + rules;
            List<String> recorded = new ArrayList<>();
            List<String> live = live(rules, requests, random, recorded);
            assertThat(replayed(rules, requests.stream().map(Timed::line).collect(Collectors.joining())))
                    .as(name)
                    .isEqualTo(live);
            assertThat(recorded.get(0).lines()).as(name).hasSize(requests.size());
            assertThat(replayed(rules, recorded.get(0))).as("recorded: " + name).isEqualTo(live);
        }
    }

    private static String rules(Random random) {
        StringBuilder rules = new StringBuilder("rules:\n");
        String[] keys = {"[ip]", "[user]", "[path]", "[ip, user]", "[]"};
        String[] conditions = {"", "path: /a/**", "method: POST", "user: { not: ada }", "ip: 10.0.0.0/31"};
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            rules.append("  - name: r").append(i).append('\n');
            String condition = conditions[random.nextInt(conditions.length)];
            rules.append(condition.isEmpty() ? "" : "    when: { " + condition + " }\n");
            rules.append("    key: ").append(keys[random.nextInt(keys.length)]).append('\n');
            rules.append("    limits: [").append(limit(random));
            rules.append(random.nextInt(3) == 0 ? ", " + limit(random) : "").append("]\n");
            String[] actions = {"reject", "reject", "reject", "degrade", "shadow"};
            rules.append("    on-exceed: ")
                    .append(actions[random.nextInt(actions.length)])
                    .append('\n');
            rules.append(random.nextInt(4) == 0 ? "    missing-key: deny\n" : "");
            rules.append(random.nextInt(4) == 0 ? "    priority: { background: 50% }\n" : "");
        }
        return rules.toString();
    }

    private static String limit(Random random) {
        int permits = 1 + random.nextInt(8);
        String per = new String[] {"1ms", "50ms", "1s", "1m"}[random.nextInt(4)];
        return switch (random.nextInt(8)) {
            case 0 -> permits + " per " + per + " fixed-window";
            case 1 -> permits + " per 1m fixed-window aligned=Asia/Kolkata";
            case 2 -> permits + " per " + per + " sliding-window";
            case 3 -> permits + " per " + per + " token-bucket burst=" + (1 + random.nextInt(10));
            case 4 -> permits + " per " + per + " leaky-bucket capacity=" + (1 + random.nextInt(10));
            case 5 -> permits + " per " + per + " leaky-bucket capacity=" + (1 + random.nextInt(10)) + " queue";
            default -> permits + " per " + per + " sliding-log";
        };
    }

    private static List<Timed> requests(Random random) {
        List<Timed> requests = new ArrayList<>();
        long at = START + random.nextInt(100_000_000);
        long mean = new long[] {1, 500, 20_000, 700_000}[random.nextInt(4)];
        for (int i = 0; i < REQUESTS; i++) {
            at += random.nextInt(5) == 0 ? 20 * mean : random.nextLong(2 * mean + 1);
            Map<String, String> attributes = new LinkedHashMap<>();
            attributes.put(
                    "ip", random.nextInt(4) == 0 ? "2001:db8::" + random.nextInt(3) : "10.0.0." + random.nextInt(4));
            attributes.put("path", PATHS[random.nextInt(PATHS.length)]);
            if (random.nextInt(3) > 0) {
                attributes.put("user", USERS[random.nextInt(USERS.length)]);
            }
            if (random.nextBoolean()) {
                attributes.put("method", random.nextBoolean() ? "POST" : "GET");
            }
            if (random.nextInt(4) == 0) {
                attributes.put("priority", "background");
            }
            requests.add(new Timed(at, attributes, random.nextInt(6) == 0 ? 1 + random.nextInt(4) : 1));
        }
        return requests;
    }

    // ---- Live

    private List<String> live(String rules, List<Timed> requests, Random random, List<String> recorded)
            throws Exception {
        ManualClock clock = new ManualClock();
        ServerSettings settings = Service.settings(rules).recorder(RecorderSettings.of(8 << 20));
        List<String> decided = new ArrayList<>();
        try (SluiceServer server = SluiceServer.start(settings, clock)) {
            for (Timed request : requests) {
                clock.advance(Duration.of(request.micros - clock.nanos() / 1000, ChronoUnit.MICROS));
                decided.add(shown(ask(server.port(), request, random.nextBoolean())));
            }
            recorded.add(client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + server.adminPort() + "/v1/recording"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body());
        }
        return decided;
    }

    private JsonObject ask(int port, Timed request, boolean post) throws Exception {
        String url = "http://127.0.0.1:" + port + "/v1/check";
        HttpRequest.Builder http;
        if (post) {
            JsonObject body = new JsonObject()
                    .put("attributes", new JsonObject(new LinkedHashMap<>(request.attributes)))
                    .put("cost", request.cost);
            http = HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofString(body.encode()));
        } else {
            String query = request.attributes.entrySet().stream()
                    .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), UTF_8))
                    .collect(Collectors.joining("&"));
            http = HttpRequest.newBuilder(URI.create(url + "?" + query + "&cost=" + request.cost));
        }
        HttpResponse<String> response = client.send(http.build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isIn(200, 429);
        return new JsonObject(response.body());
    }

    private static String shown(JsonObject body) {
        StringBuilder text = new StringBuilder();
        text.append(body.getBoolean("allowed"));
        text.append(body.getBoolean("degraded", false) ? " degraded" : "");
        text.append(" by ").append(body.getString("rule"));
        text.append(" after ").append(body.getLong("delayMs", 0L));
        JsonArray limits = body.getJsonArray("limits", new JsonArray());
        for (int i = 0; i < limits.size(); i++) {
            JsonObject limit = limits.getJsonObject(i);
            text.append("; ").append(limit.getString("rule")).append(' ').append(limit.getBoolean("allowed"));
            text.append(' ').append(limit.getLong("remaining")).append('/').append(limit.getLong("limit"));
            text.append(" retry ").append(limit.getLong("retryAfterMs"));
            text.append(" reset ").append(limit.getLong("resetAfterMs"));
        }
        return text.toString();
    }

    // ---- Replayed

    private static List<String> replayed(String rules, String log) {
        LogAttributes attributes = LogAttributes.of("ip", "path", "user", "method", "priority", LogAttributes.COST);
        List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
        LogOptions options =
                LogOptions.DEFAULT.withStreams(Map.of("log", new ByteArrayInputStream(log.getBytes(UTF_8))));
        try (LogSource source = LogSource.open(List.of("log"), options);
                Replay replay = new Replay(new ReplayRules("rules", RuleFile.parse("rules", rules)), attributes)) {
            source.read(attributes, entry -> verdicts.add(replay.decide(entry)));
            replay.finish();
            assertThat(source.summary().wrong()).isZero();
        }
        return verdicts.stream().map(verdict -> shown(verdict.join())).toList();
    }

    private static String shown(Verdict verdict) {
        StringBuilder text = new StringBuilder();
        text.append(verdict.allowed());
        text.append(verdict.degraded() ? " degraded" : "");
        RuleDecision decisive = verdict.decisive();
        text.append(" by ").append(decisive == null ? null : decisive.rule().name());
        text.append(" after ").append(millis(verdict.delayMicros()));
        for (RuleDecision rule : verdict.decisions()) {
            for (Decision decision : rule.decision().perLimit()) {
                boolean within = decision.allowed() && decision.outcome() != Outcome.SHADOWED;
                text.append("; ").append(rule.rule().name()).append(' ').append(within);
                text.append(' ').append(decision.remaining()).append('/').append(decision.limit());
                text.append(" retry ").append(millis(decision.retryAfterMicros()));
                text.append(" reset ").append(millis(decision.resetAfterMicros()));
            }
        }
        return text.toString();
    }

    /** As the response has it: whole milliseconds, rounded up; null for never. */
    private static @Nullable Long millis(long micros) {
        return micros == Decision.NEVER_MICROS ? null : Long.valueOf((micros + 999) / 1000);
    }
}
