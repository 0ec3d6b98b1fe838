package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.Logs;
import java.io.ByteArrayInputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogFormatTest {
    private static final String COMBINED =
            "203.0.113.9 - ada [16/Nov/2026:09:13:25 +0000] \"POST /login?next=%2F HTTP/1.1\""
                    + " 401 512 \"https://shop.example/\" \"curl/8.0 \\\"x\\\" \\x41\"";
    private static final List<String> ALL = List.of(
            "ip",
            "user",
            "method",
            "path",
            "host",
            "header.referer",
            "header.user-agent",
            "header.x-api-key",
            "tenant");

    private static Logs.Read read(@Nullable String format, Map<String, String> map, String... lines) {
        LogOptions options = new LogOptions(
                format,
                map,
                LogOptions.DEFAULT.zone(),
                Map.of("-", new ByteArrayInputStream((String.join("\n", lines) + "\n").getBytes(UTF_8))));
        return Logs.read(options, ALL, "-");
    }

    private static Logs.Read read(String... lines) {
        return read(null, Map.of(), lines);
    }

    @Test
    void combinedIsFoundByItself() {
        Logs.Read read = read(COMBINED);
        LogEntry entry = read.only();
        assertThat(read.files().get(0).format()).isEqualTo("combined");
        assertThat(entry.time()).isEqualTo(Instant.parse("2026-11-16T09:13:25Z"));
        assertThat(entry.ip()).isEqualTo("203.0.113.9");
        assertThat(entry.user()).isEqualTo("ada");
        assertThat(entry.method()).isEqualTo("POST");
        assertThat(entry.path()).isEqualTo("/login");
        assertThat(entry.status()).isEqualTo(401);
        assertThat(entry.bytes()).isEqualTo(512);
        assertThat(entry.referer()).isEqualTo("https://shop.example/");
        assertThat(entry.agent()).isEqualTo("curl/8.0 \"x\" A");
    }

    @Test
    void whatFollowsCombinedIsNotLookedAt() {
        assertThat(read(COMBINED + " \"198.51.100.1\" 0.003").only().agent()).isEqualTo("curl/8.0 \"x\" A");
    }

    @Test
    void commonAndVhostAreFoundByThemselves() {
        Logs.Read common = read("2001:db8::1 - - [16/Nov/2026:09:13:25 +0000] \"GET / HTTP/1.1\" 200 -");
        assertThat(common.files().get(0).format()).isEqualTo("common");
        assertThat(common.only().ip()).isEqualTo("2001:db8::1");
        assertThat(common.only().user()).isNull();
        Logs.Read vhost = read("shop.example:443 " + COMBINED);
        assertThat(vhost.files().get(0).format()).isEqualTo("vhost");
        assertThat(vhost.only().host()).isEqualTo("shop.example");
        assertThat(vhost.only().ip()).isEqualTo("203.0.113.9");
    }

    @Test
    void aRequestThatTheServerCouldNotReadIsARequest() {
        for (String request : List.of("", "-", "\\x16\\x03\\x01", "GET")) {
            LogEntry entry = read("203.0.113.9 - - [16/Nov/2026:09:13:25 +0000] \"" + request + "\" 400 0 \"-\" \"-\"")
                    .only();
            assertThat(entry.status()).isEqualTo(400);
            assertThat(entry.path()).isNull();
            assertThat(entry.agent()).isNull();
        }
    }

    @Test
    void aFormatStringOfNginx() {
        LogEntry entry = read(
                        "$remote_addr|${remote_user}|$msec|$request_method $scheme://$host $request_uri|$status|$request_time|"
                                + "$http_x_api_key|$tenant",
                        Map.of(),
                        "203.0.113.9|-|1791640536.123|GET https://shop.example /a?b|200|0.25|k1|acme")
                .only();
        assertThat(entry.host()).isEqualTo("shop.example");
        assertThat(entry.path()).isEqualTo("/a");
        assertThat(entry.method()).isEqualTo("GET");
        assertThat(entry.durationMicros()).isEqualTo(250_000);
        assertThat(entry.attribute("header.x-api-key")).isEqualTo("k1");
        assertThat(entry.attribute("tenant")).isEqualTo("acme");
    }

    @Test
    void aFormatStringOfApacheAsItStandsInItsConfiguration() {
        LogEntry entry = read(
                        "%v %a %l %u %t \\\"%r\\\" %>s %O %D \\\"%{X-Api-Key}i\\\" %{tenant}n",
                        Map.of(),
                        "shop.example 203.0.113.9 - - [16/Nov/2026:09:13:25 +0100] \"GET /a HTTP/2.0\" 200 12 1500 \"k\" acme")
                .only();
        assertThat(entry.time()).isEqualTo(Instant.parse("2026-11-16T08:13:25Z"));
        assertThat(entry.host()).isEqualTo("shop.example");
        assertThat(entry.durationMicros()).isEqualTo(1500);
        assertThat(entry.attribute("header.x-api-key")).isEqualTo("k");
        assertThat(entry.attribute("tenant")).isEqualTo("acme");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "combind # there is no log format 'combind'; did you mean 'combined'?",
                "$remote_adr [$time_local] # at character 1: there is no variable $remote_adr; did you mean 'remote_addr'?",
                "$remote_addr$remote_user $time_local # at character 13: $remote_user follows another field",
                "$remote_addr [$time_local $ # expected the name of a variable after '$'",
                "${remote_addr [$time_local] # '${' has no '}'",
                "$remote_addr $status # the log format has no time",
                "%h %t %Q # there is no directive '%Q'",
                "%h %t %{Referer # '%{' has no '}'",
                "%h %t % # at character 7: expected a letter after '%'",
                "%h %u # the log format has no time",
            })
    void aMistakeInAFormatIsNamedWithItsPlace(String format, String message) {
        assertThatThrownBy(() -> LogFormat.parse(format, Map.of()))
                .isInstanceOf(LogException.class)
                .hasMessageContaining(message);
    }

    @Test
    void jsonIsFoundByItselfAndItsFieldsAreGuessed() {
        LogEntry nginx = read("{\"time_iso8601\":\"2026-11-16T09:13:25+00:00\",\"remote_addr\":\"203.0.113.9\","
                        + "\"request\":\"GET /a?b HTTP/1.1\",\"status\":\"404\",\"http_user_agent\":\"caf\\u00e9 \\\"x\\\"\"}")
                .only();
        assertThat(nginx.ip()).isEqualTo("203.0.113.9");
        assertThat(nginx.path()).isEqualTo("/a");
        assertThat(nginx.status()).isEqualTo(404);
        assertThat(nginx.agent()).isEqualTo("café \"x\"");
        LogEntry caddy = read("{\"level\":\"info\",\"ts\":1791640536.5,\"request\":{\"remote_ip\":\"203.0.113.9\","
                        + "\"method\":\"GET\",\"host\":\"shop.example\",\"uri\":\"/a\",\"headers\":{\"User-Agent\":[\"curl\",\"x\"],"
                        + "\"Accept\":[]}},\"duration\":0.002,\"size\":17,\"status\":200,\"tls\":{\"resumed\":false,\"x\":null}}")
                .only();
        assertThat(caddy.time()).isEqualTo(Instant.parse("2026-10-10T13:55:36.5Z"));
        assertThat(caddy.host()).isEqualTo("shop.example");
        assertThat(caddy.method()).isEqualTo("GET");
        assertThat(caddy.agent()).isEqualTo("curl");
        assertThat(caddy.durationMicros()).isEqualTo(2000);
    }

    @Test
    void jsonFieldsCanBeNamed() {
        LogEntry entry = read(
                        "json",
                        Map.of("ip", "peer.addr", "time", "when", "tenant", "org"),
                        "{\"time\":\"not this\",\"when\":1791640536,\"ip\":\"nor this\",\"peer\":{\"addr\":\"203.0.113.9\"},\"org\":7}")
                .only();
        assertThat(entry.ip()).isEqualTo("203.0.113.9");
        assertThat(entry.attribute("tenant")).isEqualTo("7");
    }

    @Test
    void brokenJsonIsAWrongLineWithItsColumn() {
        Logs.Read read = read(
                "{\"time\":1791640536,\"ip\":\"a\"}",
                "{\"time\":1791640536,\"ip\":\"b\"}",
                "{\"time\":1791640536,\"ip\":\"c\"}",
                "{\"time\":1791640536,\"ip\":\"d\"",
                "{\"ip\":\"e\"}");
        assertThat(read.entries()).hasSize(3);
        assertThat(read.summary().firstWrong().toString())
                .isEqualTo("[-:4: not JSON at column 28: expected ',' or '}', was the end of the line, -:5: no time]");
    }

    @Test
    void csvIsFoundByItsHeader() {
        for (String separator : List.of(",", ";", "\t")) {
            LogEntry entry = read(
                            String.join(separator, "Time", "client_ip", "url", "status", "user_agent", "tenant"),
                            String.join(
                                    separator,
                                    "2026-11-16T09:13:25Z",
                                    "203.0.113.9",
                                    "/a?x",
                                    "200",
                                    "\"a \"\"quoted\"\" " + separator + "\"",
                                    ""))
                    .only();
            assertThat(entry.ip()).isEqualTo("203.0.113.9");
            assertThat(entry.path()).isEqualTo("/a");
            assertThat(entry.agent()).isEqualTo("a \"quoted\" " + separator);
            assertThat(entry.attribute("tenant")).isNull();
        }
    }

    @Test
    void aTableWithoutATimeNamesItsColumns() {
        assertThatThrownBy(() -> read("csv", Map.of(), "a,b", "1,2"))
                .hasMessage(
                        "-: no column is known to be the time; say which with --map time=NAME; the columns are a, b");
        assertThatThrownBy(() -> read("json", Map.of(), "{\"a\":1,\"b\":{\"c\":2}}"))
                .hasMessage(
                        "-: no field is known to be the time; say which with --map time=NAME; the fields are a, b.c");
    }

    @Test
    void aMappingIsNotForTextFormats() {
        assertThatThrownBy(() -> LogFormat.parse("combined", Map.of("ip", "x")))
                .hasMessageStartingWith("a mapping of fields is for json and csv");
    }

    /** The attributes of a request that a server recorded are taken as they are; others are guessed. */
    @Test
    void recordedRequests() {
        Logs.Read read = read(
                "{\"time\":1794787200123456,\"attributes\":{\"ip\":\"10.0.0.1\",\"path\":\"/a?b\",\"domain\":\"shop\"}}",
                "{\"time\":1794787200123457,\"attributes\":{\"user\":\"-\",\"host\":\"\",\"tenant\":\"a\\nb\"}}");
        assertThat(read.files().get(0).attributes())
                .containsExactlyInAnyOrder("ip", "path", "domain", "user", "host", "tenant", "cost");
        LogEntry first = read.entries().get(0);
        LogEntry second = read.entries().get(1);
        assertThat(first.timeMicros()).isEqualTo(1_794_787_200_123_456L);
        assertThat(first.path()).isEqualTo("/a?b");
        assertThat(first.host()).isNull();
        assertThat(second.user()).isEqualTo("-");
        assertThat(second.host()).isEmpty();
        assertThat(second.attribute("tenant")).isEqualTo("a\nb");
    }
}
