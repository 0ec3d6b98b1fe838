package dev.sluice.simulate.suggest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.Durations;
import dev.sluice.rules.Rule;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Suggestions for logs that were made by hand, so that the answer is known. */
class SuggestTest {
    private static final String BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0";
    private static final Instant START = Instant.parse("2026-11-02T00:00:00Z");

    /** A log that is written request by request, in any order. */
    private static final class Log {
        private record Line(long micros, String text) {}

        private final List<Line> lines = new ArrayList<>();

        void add(String ip, double second, String request, int status, String agent) {
            long micros = (long) (second * 1_000_000);
            Instant time = START.plusNanos(micros * 1000);
            String[] words = request.split(" ", -1);
            lines.add(new Line(
                    micros,
                    "{\"time\":\"" + time + "\",\"ip\":\"" + ip + "\",\"method\":\"" + words[0] + "\",\"path\":\""
                            + words[1] + "\",\"status\":" + status + ",\"user_agent\":\"" + agent + "\"}\n"));
        }

        void add(String ip, double second) {
            add(ip, second, "GET /", 200, BROWSER);
        }

        Suggestion suggestion(SuggestOptions options) {
            StringBuilder text = new StringBuilder();
            lines.sort(Comparator.comparingLong(Line::micros));
            lines.forEach(line -> text.append(line.text()));
            return suggest(text.toString(), options);
        }
    }

    private static Suggestion suggest(String log, SuggestOptions options) {
        LogOptions input = LogOptions.DEFAULT.withStandardInput(new ByteArrayInputStream(log.getBytes(UTF_8)));
        try (LogSource source = LogSource.open(List.of("-"), input)) {
            return Suggest.of(source, options);
        }
    }

    private static WindowLimit window(Suggestion suggestion, String window) {
        Duration duration = Durations.parse("window", window);
        return suggestion.windows().stream()
                .filter(each -> each.window().equals(duration))
                .findFirst()
                .orElseThrow();
    }

    // ---- Numbers

    @Test
    void theSmallestLimitIsTheLargestNeedButForTheShare() {
        Log log = new Log();
        for (int client = 1;
                client <= 10;
                client++) { // client n makes n requests within a second, and one an hour later
            for (int i = 0; i < client; i++) {
                log.add("192.0.2." + client, 10 * client + i / 10.0);
            }
            log.add("192.0.2." + client, 3600);
        }
        Suggestion all = log.suggestion(SuggestOptions.DEFAULT.keeping(1_000_000));
        assertThat(window(all, "1s").permits()).isEqualTo(10);
        assertThat(window(all, "1s").effect()).isEqualTo(Effect.NONE);
        assertThat(window(all, "1s").burst()).isEqualTo(1); // ten a second are a tenth apart: the bucket refills
        assertThat(window(all, "10m").permits()).isEqualTo(10);
        assertThat(window(all, "1h").permits()).isEqualTo(11);
        assertThat(all.windows()).extracting(WindowLimit::window).doesNotContain(Duration.ofDays(1));

        Suggestion most = log.suggestion(SuggestOptions.DEFAULT.keeping(800_000));
        assertThat(window(most, "1s").permits()).isEqualTo(8);
        assertThat(window(most, "1s").effect()).isEqualTo(new Effect(1 + 2, 2, 0, 0));

        Suggestion requests =
                log.suggestion(SuggestOptions.DEFAULT.keeping(950_000).of(SuggestOptions.Of.REQUESTS));
        assertThat(window(requests, "1s").permits()).isEqualTo(8); // 3 of 65 is less than 5 %; 1 + 2 + 3 is more
    }

    @Test
    void theHalvesOfALogShowHowSureItIs() {
        Log log = new Log();
        for (int client = 1; client <= 5; client++) {
            for (int i = 0; i < 3; i++) {
                log.add("192.0.2." + client, client);
            }
            for (int i = 0; i < 7; i++) {
                log.add("192.0.2." + client, 1000 + client);
            }
        }
        WindowLimit second = window(log.suggestion(SuggestOptions.DEFAULT), "1s");
        assertThat(second).isEqualTo(new WindowLimit(Duration.ofSeconds(1), 7, 3, 7, 2, 7, Effect.NONE));
        assertThat(window(log.suggestion(SuggestOptions.DEFAULT), "10m").parts())
                .isZero();
    }

    @Test
    void aWeekIsComparedByItsDays() {
        Log log = new Log();
        for (int day = 0; day < 7; day++) {
            for (int i = 0; i <= day; i++) { // one on Monday, seven on Sunday
                log.add("192.0.2.1", 86_400 * day + 43_200);
            }
        }
        log.add("192.0.2.1", 0);
        log.add("192.0.2.1", 7 * 86_400 - 1);
        WindowLimit second = window(log.suggestion(SuggestOptions.DEFAULT), "1s");
        assertThat(second.parts()).isEqualTo(9);
        assertThat(second.low()).isEqualTo(1);
        assertThat(second.high()).isEqualTo(7);
        assertThat(window(log.suggestion(SuggestOptions.DEFAULT), "1d").permits())
                .isEqualTo(8);
    }

    /** The suggested limit keeps the share, and one permit less does not. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noSmallerLimitKeepsTheShare(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Log log = new Log();
        List<List<Long>> times = new ArrayList<>();
        for (int client = 0; client < 40; client++) {
            List<Long> ofClient = new ArrayList<>();
            double second = random.nextInt(100);
            for (int i = random.nextInt(1, 60); i > 0; i--) {
                second += random.nextInt(4) == 0 ? random.nextInt(300) : random.nextInt(1000) / 1000.0;
                log.add("192.0.2." + client, second);
                ofClient.add((long) (second * 1_000_000));
            }
            times.add(ofClient);
        }
        for (SuggestOptions.Of of : SuggestOptions.Of.values()) {
            SuggestOptions options = SuggestOptions.DEFAULT.keeping(900_000).of(of);
            for (WindowLimit window : log.suggestion(options).windows()) {
                long micros = LimitFinder.micros(window.window());
                long[] at = touched(times, micros, window.permits());
                long[] below = touched(times, micros, window.permits() - 1);
                long requests = times.stream().mapToLong(List::size).sum();
                if (of == SuggestOptions.Of.CLIENTS) {
                    assertThat(at[0]).isLessThanOrEqualTo(4);
                    assertThat(window.permits() == 1 || below[0] > 4).isTrue();
                } else {
                    assertThat(at[1]).isLessThanOrEqualTo(requests / 10);
                    assertThat(window.permits() == 1 || below[1] > requests / 10)
                            .isTrue();
                }
                assertThat(window.effect()).isEqualTo(new Effect(at[1], at[0], 0, 0));
            }
        }
    }

    /** The clients and the requests that a sliding log denies, written as simply as can be. */
    private static long[] touched(List<List<Long>> times, long windowMicros, long permits) {
        long clients = 0;
        long requests = 0;
        for (List<Long> ofClient : times) {
            List<Long> admitted = new ArrayList<>();
            long denied = 0;
            for (long now : ofClient) {
                if (admitted.stream().filter(then -> then > now - windowMicros).count() < permits) {
                    admitted.add(now);
                } else {
                    denied++;
                }
            }
            clients += denied > 0 ? 1 : 0;
            requests += denied;
        }
        return new long[] {clients, requests};
    }

    // ---- Who is who

    private static Log people() {
        Log log = new Log();
        for (int person = 0; person < 30; person++) {
            for (int page = 0; page < 20; page++) {
                double second = 300 * page + 7.3 * person;
                String ip = "192.0.2." + person;
                log.add(ip, second, "GET /products/" + (person + page), 200, BROWSER);
                log.add(ip, second + 0.2, "GET /static/site.css", 200, BROWSER);
                if (page % 10 == 3) {
                    log.add(ip, second + 5, "POST /login", page == 3 ? 401 : 302, BROWSER);
                }
            }
        }
        return log;
    }

    private static Assessment only(List<Assessment> assessments, String key) {
        return assessments.stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new AssertionError(key + " is not among " + assessments));
    }

    @Test
    void peopleAloneLeaveNobodyOut() {
        Suggestion suggestion = people().suggestion(SuggestOptions.DEFAULT);
        assertThat(suggestion.leftOut()).isEmpty();
        assertThat(suggestion.groups()).containsExactly(new Suggestion.Group(Behaviour.PERSON, 30, 1260));
        assertThat(suggestion.rules()).hasSize(1);
        assertThat(suggestion.rules().get(0).window()).isEqualTo(Duration.ofMinutes(1));
        assertThat(suggestion.notes()).isEmpty();
    }

    @Test
    void whoeverTriesPasswordsIsAnAttackerAndLoginsGetARule() {
        Log log = people();
        for (int i = 0; i < 300; i++) {
            log.add("198.51.100.1", 1000 + 2 * i, "POST /login", i == 200 ? 302 : 401, BROWSER);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        Assessment attacker = only(suggestion.leftOut(), "198.51.100.1");
        assertThat(attacker.behaviour()).isEqualTo(Behaviour.ATTACKER);
        assertThat(attacker.reason()).isEqualTo("100 % refused with 401 or 403, 100 % on POST /login");
        assertThat(attacker.mostInMinute()).isEqualTo(30);
        ProposedRule rule = suggestion.rules().get(0);
        assertThat(rule.path()).isEqualTo("/login");
        assertThat(rule.method()).isEqualTo("POST");
        assertThat(rule.found().permits()).isLessThanOrEqualTo(2);
        assertThat(rule.permits()).isEqualTo(5);
        assertThat(suggestion.together().keptClients()).isZero();
        assertThat(suggestion.together().leftOutRequests()).isGreaterThan(285);
        assertThat(SuggestionText.of(suggestion))
                .contains("198.51.100.1", "left out", "post-login-per-ip", "`status: [401, 403]`");
    }

    @Test
    void whoeverRepeatsAFailingCallIsBroken() {
        Log log = people();
        for (int i = 0; i < 500; i++) {
            log.add("198.51.100.2", 2000 + i / 5.0, "GET /api/v1/sync", 503, "ShopApp/4.2");
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        Assessment broken = only(suggestion.leftOut(), "198.51.100.2");
        assertThat(broken.behaviour()).isEqualTo(Behaviour.BROKEN);
        assertThat(broken.reason()).isEqualTo("100 % failed, 100 % on GET /api/v1/sync");
        assertThat(suggestion.rules().get(0).limit()).isEqualTo("10 per 1m sliding-log"); // nobody else calls it
        assertThat(suggestion.rules().get(0).reason()).isEqualTo("Where broken clients go, and nobody else: a guess.");
    }

    @Test
    void aMonitorOfADeadServiceIsNotBroken() {
        Log log = people();
        for (int i = 0; i < 200; i++) {
            log.add("198.51.100.3", 30 * i, "GET /healthz", 503, "UptimeCheck/2.0");
        }
        assertThat(log.suggestion(SuggestOptions.DEFAULT).leftOut()).isEmpty();
    }

    @Test
    void scannersScrapersCrawlersAndProgramsAreToldApart() {
        Log log = people();
        for (int i = 0; i < 300; i++) {
            log.add("198.51.100.4", 500 + i / 4.0, "GET /x" + i + ".php", 404, BROWSER);
            log.add("198.51.100.5", 500 + i / 2.0, "GET /products/" + i, 200, BROWSER);
            log.add(
                    "198.51.100.6",
                    500 + 3 * i,
                    "GET /products/" + i,
                    200,
                    "IndexerBot/3.0 (+https://indexer.example)");
            log.add("198.51.100.7", 290 * i, "GET /api/v1/orders", 200, "PartnerSync/1.8");
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        assertThat(only(suggestion.leftOut(), "198.51.100.4").behaviour()).isEqualTo(Behaviour.SCANNER);
        assertThat(only(suggestion.leftOut(), "198.51.100.5").behaviour()).isEqualTo(Behaviour.SCRAPER);
        assertThat(only(suggestion.kept(), "198.51.100.6").behaviour()).isEqualTo(Behaviour.CRAWLER);
        assertThat(only(suggestion.kept(), "198.51.100.7").behaviour()).isEqualTo(Behaviour.PROGRAM);
        assertThat(only(suggestion.kept(), "198.51.100.7").reason())
                .isEqualTo("steady: every 290 s within 0 %, in 24 of 24 hours");
    }

    /** Nothing fails, and one page is all it asks for: it must not set the limit that is meant for it. */
    @Test
    void aFloodDoesNotRaiseTheLimit() {
        Log log = people();
        for (int i = 0; i < 6000; i++) {
            log.add("198.51.100.8", 1000 + i / 100.0, "GET /", 200, BROWSER);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        Assessment flooder = only(suggestion.leftOut(), "198.51.100.8");
        assertThat(flooder.behaviour()).isEqualTo(Behaviour.FLOODER);
        assertThat(flooder.reason()).startsWith("nine of ten clients make at most 3 in a minute; ");
        assertThat(window(suggestion, "1m").permits()).isEqualTo(3);
        assertThat(suggestion.together().leftOutRequests()).isGreaterThan(5900);
    }

    @Test
    void anAttackFromManyAddressesIsSaidToBeBeyondSuchLimits() {
        Log log = people();
        for (int i = 0; i < 120; i++) {
            log.add("203.0.113." + i, 40 * i, "POST /login", 401, BROWSER);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        assertThat(suggestion.leftOut()).isEmpty();
        assertThat(suggestion.notes())
                .singleElement()
                .asString()
                .contains("POST /login refused 150 of", "many addresses");
    }

    // ---- Rules

    @ParameterizedTest
    @ValueSource(strings = {"/login", "/a b/17", "/x\\\"y", "/*", "/yes", "/products/{id}", "/a,b", "/%00", "/#", "//"})
    void rulesAreValidWhateverThePath(String path) {
        Log log = people();
        for (int i = 0; i < 300; i++) {
            log.add(
                    "198.51.100.1",
                    1000 + 2 * i,
                    "POST " + path.replace(" ", "%20").replace("\\\"", "'"),
                    401,
                    BROWSER);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        List<Rule> rules =
                RuleFile.parse("suggested.yaml", suggestion.ruleFile()).rules();
        assertThat(rules).hasSameSizeAs(suggestion.rules());
        for (int i = 0; i < rules.size(); i++) {
            assertThat(rules.get(i).name()).isEqualTo(suggestion.rules().get(i).name());
            assertThat(rules.get(i).limits())
                    .containsExactly(RuleFile.limit(
                            "suggested", suggestion.rules().get(i).limit()));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 5, 10, 50, 99, 100, 1000, 12_345, 1_000_000})
    void headroomIsTwiceTheRootAndATidyNumber(long permits) {
        long proposed = RuleProposer.withHeadroom(permits);
        assertThat(proposed - permits).isGreaterThanOrEqualTo((long) (2 * Math.sqrt((double) permits)));
        assertThat((double) proposed).isCloseTo(permits + 2 * Math.sqrt((double) permits), within(1 + proposed * 0.2));
    }

    @ParameterizedTest
    @EnumSource(SuggestOptions.Of.class)
    void rulesTogetherKeepTheShare(SuggestOptions.Of of) {
        Log log = people();
        for (int i = 0; i < 300; i++) {
            log.add("198.51.100.1", 1000 + 2 * i, "POST /login", 401, BROWSER);
        }
        Suggestion suggestion =
                log.suggestion(SuggestOptions.DEFAULT.keeping(900_000).of(of));
        ToLongFunction<Effect> touched = of == SuggestOptions.Of.CLIENTS ? Effect::keptClients : Effect::keptRequests;
        assertThat(touched.applyAsLong(suggestion.together()))
                .isLessThanOrEqualTo(of == SuggestOptions.Of.CLIENTS ? 3 : 126);
    }

    // ---- Bad input

    @Test
    void anEmptyLogAndAMissingKeyAreErrors() {
        assertThatThrownBy(() -> suggest("", SuggestOptions.DEFAULT))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("there is no request to learn from");
        String line = "192.0.2.1 - - [02/Nov/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n";
        assertThatThrownBy(() -> suggest(line, SuggestOptions.DEFAULT.by(List.of("header.x-api-key"))))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("has no attribute 'header.x-api-key' to count clients by; it has ip");
        assertThatThrownBy(() -> suggest(line, SuggestOptions.DEFAULT.by(List.of("user"))))
                .hasMessage("none of the 1 requests has the key user");
    }

    @Test
    void aLogOfAbuseAloneIsSaidToBeThat() {
        Log log = new Log();
        for (int i = 0; i < 300; i++) {
            log.add("198.51.100.1", 2 * i, "POST /login", 401, BROWSER);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT);
        assertThat(suggestion.notes()).anyMatch(note -> note.startsWith("every client looks like abuse"));
        assertThat(suggestion.rules()).hasSize(1);
        assertThat(SuggestionText.of(suggestion)).doesNotContain("NaN", "Infinity");
    }

    @Test
    void controlCharactersOfALogAreNotShown() {
        Log log = people();
        for (int i = 0; i < 300; i++) {
            log.add("198.51.100.6", 500 + 3 * i, "GET /products/" + i, 200, "Bot/1 \\u001b[2J +https://bot.example");
        }
        assertThat(SuggestionText.of(log.suggestion(SuggestOptions.DEFAULT)))
                .contains("Bot/1 ?[2J")
                .doesNotContain("\u001b");
    }

    @Test
    void oneRequestIsEnough() {
        Suggestion suggestion = suggest(
                "192.0.2.1 - - [02/Nov/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n", SuggestOptions.DEFAULT);
        assertThat(suggestion.windows()).extracting(WindowLimit::permits).containsExactly(1L);
        assertThat(RuleFile.parse("suggested.yaml", suggestion.ruleFile()).rules())
                .hasSize(1);
        assertThat(SuggestionText.of(suggestion)).startsWith("1 requests of 1 clients in 0s");
    }

    @Test
    void timeThatGoesBackwardsIsTheTimeBefore() {
        StringBuilder log = new StringBuilder();
        for (int second : new int[] {5, 3, 1, 7}) {
            log.append("192.0.2.1 - - [02/Nov/2026:00:00:0" + second + " +0000] \"GET / HTTP/1.1\" 200 5\n");
        }
        Suggestion suggestion = suggest(log.toString(), SuggestOptions.DEFAULT);
        assertThat(window(suggestion, "1s").permits()).isEqualTo(3);
        assertThat(suggestion.log().backwards()).isEqualTo(2);
    }

    @Test
    void aLogThatDoesNotFitCountsAsFarAsItDoes() {
        Log log = new Log();
        for (int i = 0; i < 1000; i++) {
            log.add("192.0." + (i >> 8) + "." + (i & 255), i);
        }
        Suggestion suggestion = log.suggestion(SuggestOptions.DEFAULT.within(100_000));
        assertThat(suggestion.requests()).isBetween(200L, 320L);
        assertThat(suggestion.notes()).anyMatch(note -> note.startsWith("the log does not fit into memory"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "most", "49%", "100.1%", "99.99999%", "-1%", "99,9%", "1e2"})
    void aShareThatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> SuggestOptions.millionths(text)).hasMessageContaining("'" + text + "'");
    }

    @Test
    void aShareIsExact() {
        assertThat(SuggestOptions.millionths("99.9%")).isEqualTo(999_000);
        assertThat(SuggestOptions.millionths("100")).isEqualTo(1_000_000);
        assertThat(SuggestOptions.DEFAULT.keeping(999_950).keepText()).isEqualTo("99.995 %");
        assertThat(SuggestOptions.DEFAULT.mayTouch(999, 1)).isZero();
        assertThat(SuggestOptions.DEFAULT.mayTouch(1000, 1)).isEqualTo(1);
        assertThat(SuggestOptions.DEFAULT.mayTouch(3999, 2)).isEqualTo(1);
    }
}
