package dev.sluice.server.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ManualClock;
import dev.sluice.rules.Request;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecorderTest {
    private static final Duration ALL = Duration.ofDays(1);
    private static final long MEGABYTE = 1 << 20;

    private final ManualClock clock = new ManualClock();
    private InstantSource wallClock = () -> Instant.EPOCH.plus(clock.nanos(), ChronoUnit.NANOS);

    RecorderTest() {
        clock.advance(Duration.ofDays(20_000));
    }

    private Recorder recorder(RecorderSettings settings) {
        return new Recorder(settings, clock, () -> wallClock.instant(), 2);
    }

    private static Request request(String... pairs) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            attributes.put(pairs[i], pairs[i + 1]);
        }
        return Request.of(attributes, 1);
    }

    private static String text(Recorder recorder, Duration last) {
        try {
            return new String(recorder.last(last).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<JsonObject> lines(Recorder recorder) {
        return text(recorder, ALL).lines().map(JsonObject::new).toList();
    }

    private static String only(Recorder recorder, String attribute) {
        List<JsonObject> lines = lines(recorder);
        assertThat(lines).hasSize(1);
        return lines.get(0).getJsonObject("attributes").getString(attribute);
    }

    @Test
    void aLineIsTheBodyOfACheckWithItsTime() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(request("ip", "203.0.113.9", "path", "/login", "method", "POST"));
        clock.advance(Duration.of(1500, ChronoUnit.MICROS));
        recorder.record(Request.of(Map.of("user", "ada"), 3));
        recorder.record(Request.of(Map.of("user", "peeks"), 0));
        assertThat(text(recorder, ALL)).isEqualTo("""
                {"time":1728000000000000,"attributes":{"ip":"203.0.113.9","method":"POST","path":"/login"}}
                {"time":1728000000001500,"cost":3,"attributes":{"user":"ada"}}
                """);
        assertThat(recorder.records()).isEqualTo(2);
        assertThat(recorder.dropped()).isZero();
        assertThat(recorder.bytes()).isPositive().isLessThanOrEqualTo(recorder.maxBytes());
        assertThat(recorder.maxBytes()).isLessThanOrEqualTo(MEGABYTE);
    }

    @Test
    void onlyTheLastSoLong() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE).maxAge(Duration.ofMinutes(10)));
        for (int minute = 0; minute < 20; minute++) {
            recorder.record(request("user", "u" + minute));
            clock.advance(Duration.ofMinutes(1));
        }
        assertThat(text(recorder, Duration.ofMinutes(2)).lines()).hasSize(2);
        assertThat(lines(recorder)).hasSize(10);
        assertThat(recorder.reach()).isEqualTo(Duration.ofMinutes(10));
        clock.advance(Duration.ofHours(1));
        assertThat(lines(recorder)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "a\nb",
                "a\r\n{\"time\":1,\"attributes\":{}}",
                "\"}}",
                "\\",
                "\\u0041",
                "\u0000\u0001\u001f\u007f",
                "caf\u00e9 \u4e2d\u6587 \ud83d\ude00",
                "\u2028\u2029",
                "\u00ff\u00fe"
            })
    void hostileValuesStayOneLineAndComeBackAsTheyWere(String value) {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(request("user", value));
        assertThat(text(recorder, ALL).chars().filter(letter -> letter == '\n').count())
                .isEqualTo(1);
        assertThat(only(recorder, "user")).isEqualTo(value);
    }

    @Test
    void halfACharacterBecomesAReplacement() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(request("user", "a\ud83d"));
        assertThat(only(recorder, "user")).isEqualTo("a\ufffd");
    }

    @Test
    void longValuesAreShortenedAndStayDifferent() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        String start = "x".repeat(100_000);
        recorder.record(request("user", start + "a"));
        recorder.record(request("user", start + "b"));
        recorder.record(request("user", start + "a"));
        List<String> users = lines(recorder).stream()
                .map(line -> line.getJsonObject("attributes").getString("user"))
                .toList();
        assertThat(users).allMatch(user -> user.length() == LineEncoder.MAX_VALUE);
        assertThat(users.get(0)).isEqualTo(users.get(2)).isNotEqualTo(users.get(1));
    }

    @Test
    void whatIsTooLargeAsAWholeIsCounted() {
        List<String> names = new ArrayList<>();
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < 60; i++) {
            names.add("a" + i);
            values.put("a" + i, "\u4e2d".repeat(1024));
        }
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE).attributes(names));
        recorder.record(Request.of(values, 1));
        recorder.record(request("a1", "small"));
        assertThat(recorder.dropped()).isEqualTo(1);
        assertThat(only(recorder, "a1")).isEqualTo("small");
    }

    @Test
    void secretsAreRecordedOnlyIfTheyAreNamed() {
        Request secrets = request(
                "ip", "203.0.113.9",
                "path", "/reset?token=secret1",
                "header.authorization", "Bearer secret2",
                "header.cookie", "session=secret3",
                "api-key", "secret4");
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(secrets);
        assertThat(text(recorder, ALL)).contains("/reset").doesNotContain("secret");
        Recorder named = recorder(RecorderSettings.of(MEGABYTE).attributes(List.of("header.cookie", "path")));
        named.record(secrets);
        assertThat(text(named, ALL)).contains("secret3").doesNotContain("secret1", "secret2", "secret4", "203.0");
    }

    @Test
    void aPathIsRecordedAsItWasSent() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(request("path", "/static/..%2flogin?a=/b"));
        assertThat(only(recorder, "path")).isEqualTo("/static/..%2flogin");
    }

    @Test
    void aShareOfTheClientsIsRecordedWithEverythingTheyDo() {
        String key = "a key of sixteen";
        Recorder recorder =
                recorder(RecorderSettings.of(64 * MEGABYTE).share(100_000).key(key));
        Recorder another =
                recorder(RecorderSettings.of(64 * MEGABYTE).share(100_000).key(key));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20_000; i++) {
                Request request = request("ip", "10.1." + i / 250 + "." + i % 250, "user", "u" + i % 7);
                recorder.record(request);
                another.record(request);
            }
        }
        Map<String, Integer> byIp = new LinkedHashMap<>();
        lines(recorder)
                .forEach(line -> byIp.merge(line.getJsonObject("attributes").getString("ip"), 1, Integer::sum));
        assertThat(byIp.values()).containsOnly(3);
        assertThat(byIp.size()).isBetween(1_700, 2_300);
        assertThat(text(another, ALL)).as("the same key, the same clients").isEqualTo(text(recorder, ALL));
    }

    @Test
    void theAddressesOfOneNetworkAreOneClientOfTheSample() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE).share(500_000));
        for (int network = 0; network < 50; network++) {
            for (int host = 1; host <= 4; host++) {
                recorder.record(request("ip", "2001:db8:0:" + Integer.toHexString(network) + "::" + host));
            }
        }
        Map<String, Integer> byNetwork = new LinkedHashMap<>();
        lines(recorder)
                .forEach(line -> byNetwork.merge(
                        line.getJsonObject("attributes").getString("ip").replaceAll("::.*", ""), 1, Integer::sum));
        assertThat(byNetwork.values()).containsOnly(4);
        assertThat(byNetwork.size()).isBetween(5, 45);
    }

    @Test
    void hashesOfEqualValuesAreEqual() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE).hashed(List.of("ip", "user")));
        for (String ip : List.of(
                "203.0.113.9",
                "203.0.113.8",
                "203.0.113.9",
                "2001:db8:1:2::5",
                "2001:db8:1:2::6",
                "2001:db8:1:3::5",
                "no address",
                "::ffff:203.0.113.9",
                "2002:cb00:7109::1")) {
            recorder.record(request("ip", ip, "user", "ada"));
        }
        assertThat(text(recorder, ALL)).doesNotContain("203.0.113", "2001:db8", "ada");
        List<String> ips = lines(recorder).stream()
                .map(line -> line.getJsonObject("attributes").getString("ip"))
                .toList();
        assertThat(ips.get(0))
                .isEqualTo(ips.get(2))
                .isEqualTo(ips.get(7))
                .isNotEqualTo(ips.get(1))
                .startsWith("3fff:");
        assertThat(ips.get(8)).as("6to4 stands for the address of version 4").isEqualTo(ips.get(0));
        assertThat(network(ips.get(3))).isEqualTo(network(ips.get(4))).isNotEqualTo(network(ips.get(5)));
        assertThat(ips.get(3)).isNotEqualTo(ips.get(4));
        assertThat(ips.get(6)).isEqualTo("invalid");
        Recorder other = recorder(RecorderSettings.of(MEGABYTE).hashed(List.of("ip")));
        other.record(request("ip", "203.0.113.9"));
        assertThat(only(other, "ip")).as("each server has a key of its own").isNotEqualTo(ips.get(0));
    }

    private static String network(String ip) {
        return String.join(":", List.of(ip.split(":")).subList(0, 4));
    }

    @Test
    void theOldestMakeRoomAndWhatIsLeftIsComplete() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        int count = 40_000;
        for (int i = 0; i < count; i++) {
            recorder.record(request("user", "u" + i));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(recorder.bytes()).isLessThanOrEqualTo(MEGABYTE);
        List<Integer> left = lines(recorder).stream()
                .map(line -> Integer.parseInt(
                        line.getJsonObject("attributes").getString("user").substring(1)))
                .toList();
        assertThat(left.size()).isBetween(5_000, count - 1);
        assertThat(left.get(left.size() - 1)).isEqualTo(count - 1);
        for (int i = 1; i < left.size(); i++) {
            assertThat(left.get(i)).isEqualTo(left.get(i - 1) + 1);
        }
    }

    /** One event loop fills the memory and another records now and then: what is read is complete from both. */
    @Test
    void aBusyThreadDoesNotMakeAHoleInWhatAnIdleOneRecorded() throws Exception {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        ExecutorService idle = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 60_000; i++) {
            if (i % 1000 == 0) {
                idle.submit(() -> recorder.record(request("user", "idle"))).get();
            }
            recorder.record(request("user", "busy"));
            clock.advance(Duration.ofMillis(1));
        }
        idle.shutdown();
        List<String> users = lines(recorder).stream()
                .map(line -> line.getJsonObject("attributes").getString("user"))
                .toList();
        int ofBusy = Collections.frequency(users, "busy");
        assertThat(ofBusy).isGreaterThan(5_000);
        assertThat(Collections.frequency(users, "idle")).isBetween(ofBusy / 1000, ofBusy / 1000 + 1);
        assertThat(recorder.reach().toMillis()).isBetween(ofBusy - 10L, ofBusy + 10L);
    }

    @Test
    void threadsThatRecordAtOnceAreMergedByTime() throws Exception {
        Recorder recorder =
                new Recorder(RecorderSettings.of(64 * MEGABYTE), System::nanoTime, InstantSource.system(), 4);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String name = "t" + t + "-";
            threads.add(new Thread(() -> {
                for (int i = 0; i < 5_000; i++) {
                    recorder.record(request("user", name + i));
                }
            }));
        }
        threads.forEach(Thread::start);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            lastIsWhole(text(recorder, ALL));
        }
        List<JsonObject> lines = lines(recorder);
        assertThat(lines).hasSize(20_000);
        long before = 0;
        for (JsonObject line : lines) {
            assertThat(line.getLong("time")).isGreaterThanOrEqualTo(before);
            before = line.getLong("time");
        }
    }

    private static void lastIsWhole(String text) {
        if (!text.isEmpty()) {
            assertThat(text).endsWith("}}\n");
        }
    }

    @Test
    void aReaderThatIsOvertakenIsTold() throws IOException {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        fill(recorder, 30_000);
        RecordedLines slow = recorder.last(ALL);
        assertThat(slow.readNBytes(1000)).hasSize(1000);
        fill(recorder, 30_000);
        assertThatThrownBy(slow::readAllBytes)
                .isInstanceOf(RecordedLines.Overtaken.class)
                .hasMessageContaining("records faster than this is read");
        RecordedLines unread = recorder.last(ALL);
        fill(recorder, 200);
        assertThat(unread.readAllBytes())
                .as("before the first line it begins later")
                .isNotEmpty();
    }

    private void fill(Recorder recorder, int count) {
        for (int i = 0; i < count; i++) {
            recorder.record(request("user", "somebody"));
            clock.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void theClockOfTheLimitersCountsAndNotTheOneThatIsSet() {
        Recorder recorder = recorder(RecorderSettings.of(MEGABYTE));
        recorder.record(request("user", "a"));
        clock.advance(Duration.ofSeconds(10));
        InstantSource right = wallClock;
        wallClock = () -> right.instant().minus(Duration.ofHours(5));
        recorder.record(request("user", "b"));
        List<JsonObject> lines = lines(recorder);
        assertThat(lines.get(1).getLong("time") - lines.get(0).getLong("time")).isEqualTo(10_000_000);
        clock.stepBack(Duration.ofSeconds(5));
        recorder.record(request("user", "c"));
        clock.advance(Duration.ofSeconds(5));
        List<JsonObject> three = lines(recorder);
        assertThat(three).hasSize(3);
        assertThat(three.get(2).getLong("time"))
                .as("no time has passed")
                .isEqualTo(three.get(1).getLong("time"));
    }

    @Test
    void badSettingsAreRefused() {
        RecorderSettings good = RecorderSettings.of(MEGABYTE);
        assertThatThrownBy(() -> RecorderSettings.of(1000)).hasMessage("must be 1MB or more, was 1000B");
        assertThatThrownBy(() -> good.hashed(List.of("tenant"))).hasMessageContaining("was 'tenant'");
        assertThatThrownBy(() -> good.attributes(List.of("cost"))).hasMessageContaining("cannot have 'cost'");
        assertThatThrownBy(() -> good.attributes(List.of("a\"b"))).hasMessageContaining("names in lower case");
        assertThatThrownBy(() -> good.attributes(List.of())).hasMessageContaining("1 to 64 names");
        assertThatThrownBy(() -> good.maxAge(Duration.ZERO)).hasMessageContaining("age must be 1s or more");
        assertThatThrownBy(() -> good.key("short")).hasMessage("key must have 16 characters or more, had 5");
        assertThatThrownBy(() -> RecorderSettings.millionths("0%")).hasMessageContaining("was '0%'");
        assertThatThrownBy(() -> RecorderSettings.millionths("101%")).hasMessageContaining("from 0.0001% to 100%");
        assertThat(good.share(RecorderSettings.millionths("2.5%")).shareText()).isEqualTo("2.5%");
        assertThat(good.key("a key of sixteen").toString()).doesNotContain("sixteen");
    }
}
