package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScenarioTest {
    @Test
    void hasDefaults() {
        Scenario scenario = Scenario.parse(Map.of("permits", "", "per", " "));
        assertThat(scenario.algorithms()).containsExactly(Algorithm.values());
        assertThat(scenario.permits()).isEqualTo(10);
        assertThat(scenario.period()).isEqualTo(Duration.ofSeconds(10));
        assertThat(scenario.burst()).isEqualTo(10);
        assertThat(scenario.capacity()).isEqualTo(10);
        assertThat(scenario.slices()).isEqualTo(10);
        assertThat(scenario.hold()).isEqualTo(Duration.ofMillis(2500));
        assertThat(scenario.shape()).isEqualTo(Traffic.Shape.BOUNDARY);
        assertThat(scenario.duration()).isEqualTo(Duration.ofSeconds(40));
        assertThat(scenario.rate()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource({"5,50", "20/10s,20", "60/1m,10", "1/250ms,40"})
    void aRateIsPerSecondOrPerWhatItSays(String rate, long perPeriod) {
        assertThat(Scenario.parse(Map.of("rate", rate)).rate()).isEqualTo(perPeriod);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "permits   | 0          | permits must be a whole number from 1 to 100000, was '0'",
                "permits   | -3         | permits must be a whole number from 1 to 100000, was '-3'",
                "permits   | ten        | permits must be a whole number from 1 to 100000, was 'ten'",
                "permits   | 100001     | permits must be a whole number from 1 to 100000, was '100001'",
                "permits   | 9999999999999999999 | permits must be a whole number from 1 to 100000, was '9999999999999999999'",
                "burst     | 0          | burst must be a whole number from 1 to 100000, was '0'",
                "slices    | 1001       | slices must be a whole number from 1 to 1000, was '1001'",
                "slices    | 7          | a period of 10000000 microseconds cannot be cut into 7 equal slices",
                "per       | 10         | per must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was '10'",
                "per       | 0s         | per must be longer than zero and at most 31d, was '0s'",
                "per       | 999999999999d | per must be longer than zero and at most 31d, was '999999999999d'",
                "duration  | 3h         | duration must be at most 1000 periods of 10s, was 3h",
                "traffic   | storm      | traffic must be one of steady, burst, boundary, flash-sale, on-off, drawn, was 'storm'",
                "algorithm | leaky      | algorithm must be all, or some of fixed-window, fixed-window-aligned,",
                "rate      | fast       | rate must be requests per second as in 5, or per duration as in 20/10s; was 'fast'",
                "rate      | 1/x        | rate must be requests per second as in 5, or per duration as in 20/10s; was '1/x'",
                "rate      | 1/0s       | rate must be requests per second as in 5, or per duration as in 20/10s; was '1/0s'",
                "rate      | 1/1h       | rate must come to 1 to 1000000 requests per period of 10s, was '1/1h', which comes to 0",
                "seed      | -1         | seed must be a whole number from 0 to 9223372036854775807, was '-1'",
                "colour    | red        | 'colour' is not a parameter; there are algorithm, permits, per,",
            })
    void badValuesAreNamed(String name, String value, String message) {
        assertThatThrownBy(() -> Scenario.parse(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "drawn    | ''        | traffic is drawn, with drawn as in 0,5,20, or of another shape and drawn is absent;",
                "steady   | 1,2       | traffic is drawn, with drawn as in 0,5,20, or of another shape and drawn is absent;",
                "drawn    | 1,,2      | drawn must be 1 to 200 whole numbers of requests, each at most 99999, as in 0,5,20; was '1,,2'",
                "drawn    | 1,-2      | drawn must be 1 to 200 whole numbers",
                "drawn    | 1,1e3     | drawn must be 1 to 200 whole numbers",
                "drawn    | 100000    | drawn must be 1 to 200 whole numbers",
                "drawn    | <script>  | drawn must be 1 to 200 whole numbers",
            })
    void badDrawingsAreNamed(String traffic, String drawn, String message) {
        assertThatThrownBy(() -> Scenario.parse(Map.of("traffic", traffic, "drawn", drawn)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    /** What a message says is right is right: a flash sale under 10,000 per minute. */
    @Test
    void whatIsTooMuchIsScaledDownAsItIsTold() {
        Map<String, String> tooMuch = Map.of("permits", "10000", "per", "1m", "traffic", "flash-sale");
        assertThatThrownBy(() -> Scenario.parse(tooMuch).run())
                .hasMessageMatching("this would be 13\\d{4} requests, and at most 50000 are simulated;"
                        + " with permits and a rate that are 3 times lower .*");
        Scenario lower = Scenario.parse(Map.of("permits", "3333", "per", "1m", "traffic", "flash-sale"));
        assertThat(lower.traffic().arrivalsMicros()).hasSizeBetween(40_000, 50_000);
    }

    @Test
    void aDrawingIsBounded() {
        assertThat(Scenario.parse(Map.of("traffic", "drawn", "drawn", "0" + ",0".repeat(199)))
                        .drawn())
                .hasSize(200);
        assertThatThrownBy(() -> Scenario.parse(Map.of("traffic", "drawn", "drawn", "0" + ",0".repeat(200))))
                .hasMessageEndingWith("0,0,0,0,0,0,0,0,...'");
        Scenario tooMany = Scenario.parse(Map.of("traffic", "drawn", "drawn", "50001"));
        assertThatThrownBy(tooMany::run).hasMessageStartingWith("this would be 50001 requests");
    }

    /** The limits that people write: none of them with any shape is too much to simulate. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void aThousandPerMinuteRuns(Traffic.Shape shape) {
        Scenario scenario = Scenario.parse(Map.of("permits", "1000", "per", "1m", "traffic", shape.text()));
        List<Simulation> simulations = scenario.run();
        assertThat(simulations).hasSize(9);
        assertThat(Picture.draw("x", simulations, 860).length()).isLessThan(500_000);
    }

    @Test
    void aWeekIsADuration() {
        Scenario scenario = Scenario.parse(Map.of("per", "1w"));
        assertThat(scenario.period()).isEqualTo(Duration.ofDays(7));
        assertThat(scenario.summary()).isEqualTo("10 per 1w, boundary traffic");
    }

    @Test
    void theShortestAndLongestRun() {
        assertThat(Scenario.parse(Map.of("per", "10us", "duration", "40us", "slices", "1"))
                        .run())
                .hasSize(9);
        assertThat(Scenario.parse(Map.of("per", "31d", "duration", "31d")).run())
                .hasSize(9);
    }
}
