package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitParserTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int ROUNDS = 20 * Integer.getInteger("sluice.traces", 1000);

    @Test
    void readsEveryForm() {
        assertThat(Limit.parse("5 per 1m")).isEqualTo(Limit.slidingWindow(5, MINUTE, 10));
        assertThat(Limit.parse("5 per minute")).isEqualTo(Limit.slidingWindow(5, MINUTE, 10));
        assertThat(Limit.parse("  1_000 per 1h30m\tsliding-window slices=6 "))
                .isEqualTo(Limit.slidingWindow(1000, Duration.ofMinutes(90), 6));
        assertThat(Limit.parse("5 per 1m weighted"))
                .isEqualTo(Limit.slidingWindow(5, MINUTE, 10).weighted());
        assertThat(Limit.parse("5 per 1m slices=6 weighted=false")).isEqualTo(Limit.slidingWindow(5, MINUTE, 6));
        assertThat(Limit.parse("5 per 1m sliding-log")).isEqualTo(Limit.slidingLog(5, MINUTE));
        assertThat(Limit.parse("5 per 1m token-bucket")).isEqualTo(Limit.tokenBucket(5, MINUTE));
        assertThat(Limit.parse("5 per 1m token-bucket burst=9"))
                .isEqualTo(Limit.tokenBucket(5, MINUTE).burst(9));
        assertThat(Limit.parse("5 per 1m leaky-bucket queue capacity=9"))
                .isEqualTo(Limit.leakyBucket(5, MINUTE).capacity(9).queue());
        assertThat(Limit.parse("5 per 1m fixed-window")).isEqualTo(Limit.fixedWindow(5, MINUTE));
        assertThat(Limit.parse("5 per 90s fixed-window aligned"))
                .isEqualTo(Limit.fixedWindow(5, Duration.ofSeconds(90)).aligned());
        assertThat(Limit.parse("5 per month fixed-window aligned=+02:00"))
                .isEqualTo(Limit.fixedWindow(5, ChronoUnit.MONTHS, ZoneId.of("+02:00")));
        assertThat(Limit.parse("20 at once")).isEqualTo(Limit.concurrency(20));
    }

    @Test
    void readsALimitFieldByField() {
        assertThat(LimitParser.parse(Map.of("permits", "5", "per", "1m"))).isEqualTo(Limit.parse("5 per 1m"));
        assertThat(LimitParser.parse(Map.of("permits", "5", "per", "1m", "algorithm", "leaky-bucket", "queue", "true")))
                .isEqualTo(Limit.leakyBucket(5, MINUTE).queue());
        assertThat(LimitParser.parse(Map.of("permits", "5", "algorithm", "concurrency")))
                .isEqualTo(Limit.concurrency(5));
        assertThat(LimitParser.fields())
                .containsExactlyInAnyOrder(
                        "permits", "per", "algorithm", "aligned", "slices", "weighted", "burst", "capacity", "queue");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ""                              | 0  | ""        | expected a limit such as '5 per 1m', '100 per 1d fixed-window aligned=UTC' or '20 at once', was ''
            5                               | 0  | ""        | expected a limit such as
            5 in 1m                         | 2  | ""        | expected a limit such as
            20 at                           | 3  | ""        | expected a limit such as
            -5 per 1m                       | 0  | permits   | expected a whole number from 1 to 9007199254740992, was '-5'
            5 per 1x                        | 6  | per       | expected a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, longer than zero and at most ten years, was '1x'
            5 per month                     | 6  | per       | a month has no fixed length; say fixed-window aligned=ZONE, such as aligned=UTC
            5 per 1m slidinglog             | 9  | algorithm | unknown algorithm 'slidinglog'; did you mean 'sliding-log'? Expected one of fixed-window, sliding-window, sliding-log, token-bucket, leaky-bucket, concurrency
            5 per 1m concurrency            | 6  | per       | concurrency has no period: permits are held until they are released
            5 per 1m burst=9                | 9  | burst     | 'burst' is no option of sliding-window; it is one of token-bucket, which must then be named
            5 per 1m sliding-log x=1        | 21 | x         | 'x' is no option of sliding-log; it has none
            5 per 1m sliding-window weigted | 24 | weigted   | 'weigted' is no option of sliding-window; its options are slices, weighted; did you mean 'weighted'?
            20 at once burst=1              | 11 | burst     | 'burst' is no option of concurrency; it is one of token-bucket, which must then be named
            5 per 1m token-bucket burst     | 22 | burst     | expected option=value, was 'burst'
            5 per 1m token-bucket burst=    | 22 | burst     | expected option=value, was 'burst='
            5 per 1m token-bucket burst=0   | 22 | burst     | expected a whole number from 1 to 9007199254740992, was '0'
            5 per 1m weighted=maybe         | 9  | weighted  | weighted is true or false, was 'maybe'
            5 per 1m weighted weighted      | 18 | weighted  | option 'weighted' is there twice
            5 per 1m fixed-window aligned=X | 22 | aligned   | expected aligned=epoch, or a time zone such as aligned=UTC or aligned=Europe/Berlin, was 'X'
            5 per 1us                       | 0  | ""        | a period of 1 microseconds cannot be cut into 10 equal slices
            """)
    void saysWhatIsWrongAndWhere(String text, int offset, String field, String message) {
        LimitSyntaxException refusal = catchThrowableOfType(LimitSyntaxException.class, () -> Limit.parse(text));
        assertThat(refusal.problems()).hasSize(1);
        assertThat(refusal.offset()).isEqualTo(offset);
        assertThat(refusal.problems().get(0).field()).isEqualTo(field);
        assertThat(refusal.problems().get(0).message()).startsWith(message);
        assertThat(refusal).hasMessageStartingWith("'" + text + "', character " + (offset + 1) + ": " + message);
    }

    @Test
    void saysAllThatIsWrongInTheOrderOfTheText() {
        LimitSyntaxException refusal = catchThrowableOfType(
                LimitSyntaxException.class, () -> Limit.parse("0 per 1x token-bucket burst=no slices=5"));
        assertThat(refusal.problems())
                .extracting(LimitSyntaxException.Problem::offset)
                .containsExactly(0, 6, 22, 31);
    }

    @Test
    void saysWhichFieldIsWrong() {
        LimitSyntaxException refusal = catchThrowableOfType(
                LimitSyntaxException.class, () -> LimitParser.parse(Map.of("per", "1x", "algorithm", "sliding-log")));
        assertThat(refusal.problems())
                .extracting(LimitSyntaxException.Problem::field)
                .containsExactly("", "per");
        assertThat(refusal)
                .hasMessageStartingWith("'permits' is missing; expected how many; per: expected a duration such as");
        assertThatExceptionOfType(LimitSyntaxException.class)
                .isThrownBy(() -> LimitParser.parse(Map.of("permits", "5")))
                .withMessageStartingWith("'per' is missing; expected a duration");
        assertThatExceptionOfType(LimitSyntaxException.class)
                .isThrownBy(() -> LimitParser.parse(Map.of("permits", "5", "per", "1m", "algorithm", "weighted")))
                .withMessageStartingWith("algorithm: unknown algorithm 'weighted'");
    }

    @Test
    void whatIsWrittenIsReadAsAnEqualLimit() {
        SplittableRandom random = new SplittableRandom(Long.getLong("sluice.seed", 42));
        int exact = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Limit limit;
            try {
                limit = anyLimit(random);
            } catch (IllegalArgumentException cannotBeKept) {
                continue;
            }
            exact++;
            assertThat(Limit.parse(limit.text())).as(limit.text()).isEqualTo(limit);
            assertThat(Limit.parse(limit.text()).text()).isEqualTo(limit.text());
        }
        assertThat(exact).isGreaterThan(ROUNDS / 4);
    }

    private static Limit anyLimit(SplittableRandom random) {
        long permits = 1 + random.nextLong(1L << random.nextInt(1, 54));
        long other = 1 + random.nextLong(1L << random.nextInt(1, 54));
        Duration period = anyPeriod(random);
        List<String> zones = List.of("UTC", "Z", "Europe/Berlin", "+02:00", "-11:30", "UTC+03:00", "America/New_York");
        ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
        List<ChronoUnit> units = Limit.Alignment.Calendar.UNITS;
        Limit.SlidingWindow window = Limit.slidingWindow(1, MINUTE, 1);
        return switch (random.nextInt(9)) {
            case 0 -> Limit.fixedWindow(permits, period);
            case 1 -> Limit.fixedWindow(permits, period).aligned();
            case 2 -> Limit.fixedWindow(permits, units.get(random.nextInt(units.size())), zone);
            case 3 ->
                new Limit.SlidingWindow(
                        permits,
                        period,
                        1 + random.nextInt(random.nextBoolean() ? 5 : 3600),
                        random.nextBoolean()
                                ? window.counting()
                                : window.weighted().counting());
            case 4 -> Limit.slidingLog(permits, period);
            case 5 -> Limit.tokenBucket(permits, period).burst(other);
            case 6 -> Limit.leakyBucket(permits, period).capacity(other);
            case 7 -> Limit.leakyBucket(permits, period).queue();
            default -> Limit.concurrency(permits);
        };
    }

    private static Duration anyPeriod(SplittableRandom random) {
        long[] units = {1, 1000, 1_000_000, 60_000_000, 3_600_000_000L, 86_400_000_000L, 604_800_000_000L};
        long unit = units[random.nextInt(units.length)];
        return Duration.of(unit * (1 + random.nextLong(300)), ChronoUnit.MICROS);
    }

    @Test
    @Timeout(60)
    void whateverIsWrittenIsReadOrRefused() {
        List<String> pieces = new ArrayList<>(List.of(
                "5",
                "0",
                "-1",
                "1_000",
                "1__0",
                "9".repeat(20),
                "per",
                "at",
                "once",
                "1m",
                "1m1h",
                "month",
                "year",
                "99999w",
                "1us",
                "=",
                "aligned",
                "aligned=",
                "=UTC",
                "aligned=epoch",
                "aligned=Asia/Tokyo",
                "slices=6",
                "slices=3600",
                "weighted",
                "weighted=false",
                "burst=3",
                "burst=9007199254740992",
                "capacity=2",
                "queue",
                "queue=no",
                "\u3000",
                "\t",
                "\n",
                "\u0000",
                "\ud800",
                "\ud834\udd1e",
                "permits=5",
                "x=y"));
        for (Limit limit : List.of(Limit.slidingLog(1, MINUTE), Limit.tokenBucket(1, MINUTE), Limit.concurrency(1))) {
            pieces.add(limit.algorithm());
        }
        SplittableRandom random = new SplittableRandom(Long.getLong("sluice.seed", 42));
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? "5 per 1m " : "");
            for (int length = random.nextInt(8); length > 0; length--) {
                boolean piece = random.nextInt(10) > 0;
                text.append(piece ? pieces.get(random.nextInt(pieces.size())) : (char) random.nextInt(0x10000));
                text.append(random.nextInt(5) > 0 ? " " : "");
            }
            read += isRead(text.toString()) ? 1 : 0;
        }
        assertThat(read).isPositive();
    }

    @Test
    @Timeout(60)
    void whatIsLongIsRefusedSoon() {
        for (String piece : List.of("5", " ", "5 ", "per ", "1m", "_", "1_", "=", "x=1 ", "\u3000", "weighted ")) {
            assertThat(isRead(piece.repeat(1_000_000))).isFalse();
            assertThat(isRead("5 per 1m " + piece.repeat(1_000_000))).isFalse();
            isRead(("5 per 1m " + piece.repeat(1000)).substring(0, 1000));
        }
        assertThatExceptionOfType(LimitSyntaxException.class)
                .isThrownBy(() -> Limit.parse("5 per 1m" + " ".repeat(1000)))
                .withMessageContaining("at most 1000 characters, were 1008");
    }

    private static boolean isRead(String text) {
        try {
            assertThat(Limit.parse(text)).isNotNull();
            return true;
        } catch (LimitSyntaxException e) {
            assertThat(e.problems())
                    .isNotEmpty()
                    .allSatisfy(problem -> assertThat(problem.message()).isNotBlank());
            assertThat(e.offset()).isBetween(0, Math.max(0, text.length() - 1));
            return false;
        }
    }
}
