package dev.sluice.simulate.generate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.log.file.LogSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogGeneratorTest {
    private record Made(String log, List<GeneratedClient> clients) {
        long requests(ClientKind kind) {
            return clients.stream()
                    .filter(client -> client.kind() == kind)
                    .mapToLong(GeneratedClient::requests)
                    .sum();
        }
    }

    private static Made made(LogPlan plan, String format) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<GeneratedClient> clients = LogGenerator.generate(plan, new LogLines(out, format));
        return new Made(out.toString(UTF_8), clients);
    }

    @Test
    void theSamePlanGivesTheSameLogAndAnotherSeedAnother() throws IOException {
        String first = made(LogPlan.of(7, 5000), "combined").log;
        assertThat(made(LogPlan.of(7, 5000), "combined").log).isEqualTo(first);
        assertThat(made(LogPlan.of(8, 5000), "combined").log).isNotEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"combined", "common", "json", "csv"})
    void theTruthIsWhatStandsInTheLog(String format) throws IOException {
        Made made = made(LogPlan.of(3, 20_000), format);
        Map<String, Long> counted = new HashMap<>();
        LogOptions options = LogOptions.DEFAULT.withStandardInput(new ByteArrayInputStream(made.log.getBytes(UTF_8)));
        LogSummary summary;
        try (LogSource source = LogSource.open(List.of("-"), options)) {
            source.read(LogAttributes.of("ip"), entry -> counted.merge(String.valueOf(entry.ip()), 1L, Long::sum));
            summary = source.summary();
        }
        assertThat(summary.wrong()).isZero();
        assertThat(summary.backwards()).isZero();
        assertThat(summary.files().get(0).format()).isEqualTo(format);
        assertThat(counted)
                .isEqualTo(made.clients.stream()
                        .collect(Collectors.toMap(GeneratedClient::ip, GeneratedClient::requests)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyKindIsThereAboutAsOftenAsPlanned(long seed) throws IOException {
        long lines = 50_000;
        Made made = made(LogPlan.of(seed, lines), "common");
        assertThat(made.clients.stream().mapToLong(GeneratedClient::requests).sum())
                .isBetween(lines * 8 / 10, lines * 12 / 10);
        for (ClientKind kind : ClientKind.values()) {
            assertThat(made.requests(kind) / (double) lines)
                    .as(kind + " of seed " + seed)
                    .isBetween(kind.share() * 0.5, kind.share() * 1.6);
        }
    }

    @Test
    void kindsCanBeLeftOutAndTheLogIsAsLong() throws IOException {
        EnumSet<ClientKind> abuse = EnumSet.of(ClientKind.RETRY_STORM, ClientKind.CREDENTIAL_STUFFING);
        Made made = made(LogPlan.of(5, 20_000).without(abuse), "common");
        assertThat(made.clients).noneMatch(client -> client.kind().abusive());
        assertThat(made.clients.stream().mapToLong(GeneratedClient::requests).sum())
                .isBetween(16_000L, 24_000L);
    }

    @Test
    void nightsAreCalm() throws IOException {
        List<Long> hours = new ArrayList<>();
        LogGenerator.generate(
                LogPlan.of(1, 50_000)
                        .without(EnumSet.complementOf(EnumSet.of(ClientKind.PERSON)))
                        .during(Instant.parse("2026-11-02T00:00:00Z"), Duration.ofDays(2)),
                request -> hours.add(request.timeMicros() / 3_600_000_000L % 24));
        long night = hours.stream().filter(hour -> hour >= 2 && hour < 6).count();
        long day = hours.stream().filter(hour -> hour >= 14 && hour < 18).count();
        assertThat(day).isGreaterThan(4 * night);
    }

    @Test
    void someComeOftenAndMostSeldom() throws IOException {
        List<Long> requests = made(LogPlan.of(1, 100_000), "common").clients.stream()
                .filter(client -> client.kind() == ClientKind.PERSON)
                .map(GeneratedClient::requests)
                .sorted()
                .toList();
        long median = requests.get(requests.size() / 2);
        long most = requests.get(requests.size() - 1);
        assertThat(most).isGreaterThan(6 * median);
    }

    @Test
    void requestsComeInTheOrderOfTheirTimesWithinThePlan() throws IOException {
        long[] last = {0};
        LogPlan plan = LogPlan.of(9, 5000).during(Instant.parse("2026-03-01T10:00:00Z"), Duration.ofHours(3));
        LogGenerator.generate(plan, request -> {
            assertThat(request.timeMicros()).isGreaterThanOrEqualTo(last[0]);
            last[0] = request.timeMicros();
        });
        assertThat(last[0]).isLessThan(plan.start().plus(plan.duration()).toEpochMilli() * 1000);
    }

    @Test
    void theTableHasALineForEachClient() {
        Instant time = Instant.parse("2026-11-02T00:00:00Z");
        assertThat(TruthFile.text(List.of(
                        new GeneratedClient("192.0.2.1", ClientKind.PERSON, 3, time, time),
                        new GeneratedClient("192.0.2.2", ClientKind.CREDENTIAL_STUFFING, 9, time, time))))
                .isEqualTo("""
                        ip,kind,abusive,requests,first,last
                        192.0.2.2,credential-stuffing,true,9,2026-11-02T00:00:00Z,2026-11-02T00:00:00Z
                        192.0.2.1,person,false,3,2026-11-02T00:00:00Z,2026-11-02T00:00:00Z
                        """);
    }

    @Test
    void aPlanThatCannotBeIsRefused() {
        assertThatThrownBy(() -> LogPlan.of(1, 0)).hasMessage("lines must be 1 or more, was 0");
        assertThatThrownBy(() -> LogPlan.of(1, 10).without(EnumSet.allOf(ClientKind.class)))
                .hasMessage("no kind of client is left");
        assertThatThrownBy(() -> LogPlan.of(1, 10).during(Instant.EPOCH, Duration.ofSeconds(5)))
                .hasMessageContaining("duration must be from one minute to 366 days");
    }
}
