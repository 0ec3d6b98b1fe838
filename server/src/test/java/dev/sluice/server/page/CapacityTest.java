package dev.sluice.server.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapacityTest {
    @Test
    void littlesLaw() {
        List<Capacity.Fact> pools = Capacity.of(Map.of("qps", "1000", "response", "50ms", "instances", "5"))
                .pools();
        assertThat(value(pools, "inFlight")).isEqualTo(50);
        assertThat(value(pools, "inFlightEach")).isEqualTo(10);
        assertThat(value(pools, "threadsEach")).isEqualTo(15);
        assertThat(value(pools, "threadsMost")).isEqualTo(1500);
    }

    /** From tables of the formula: load, places, share that waits. */
    @ParameterizedTest
    @CsvSource({"1, 2, 0.3333", "2, 3, 0.4444", "10, 12, 0.4494", "10, 15, 0.1020", "0.5, 1, 0.5", "5, 5, 1", "9, 3, 1"
    })
    void howManyWait(double load, long places, double share) {
        assertThat(Capacity.waiting(load, places)).isCloseTo(share, within(0.0001));
    }

    /** Against the formula as it is written, without the recursion. */
    @Test
    void howManyWaitByTheFormula() {
        for (int places = 1; places <= 40; places++) {
            for (double load = 0.25; load < places; load += 0.75) {
                double term = 1;
                double sum = 1;
                for (int k = 1; k < places; k++) {
                    term *= load / k;
                    sum += term;
                }
                double last = term * load / places * places / (places - load);
                assertThat(Capacity.waiting(load, places)).isCloseTo(last / (sum + last), within(1e-9));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"99.9, 43.83", "99.99, 4.383", "99, 438.3", "99.999, 0.4383", "99.99999, 0.004383"})
    void minutesOfAMonth(String target, double minutes) {
        assertThat(value(Capacity.of(Map.of("target", target)).availability(), "downMonth") / 60)
                .isCloseTo(minutes, within(minutes / 1e6));
    }

    @Test
    void servicesInARow() {
        List<Capacity.Fact> facts =
                Capacity.of(Map.of("target", "99.9", "services", "3")).availability();
        assertThat(value(facts, "chain")).isCloseTo(0.997003, within(1e-6));
        assertThat(Math.pow(value(facts, "chainEach"), 3)).isCloseTo(0.999, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10 per 10s sliding-log                 |   1 |  10 |  10",
                "10 per 10s sliding-window              |   1 |  10 |  10",
                "10 per 10s sliding-window weighted     |   1 |  20 |  20",
                "10 per 10s fixed-window                |   1 |  19 |  19",
                "10 per 10s fixed-window aligned=epoch  |   1 |  20 |  20",
                "10 per 10s token-bucket burst=5        |   1 |  15 |   6",
                "10 per 10s leaky-bucket capacity=5     |   1 |  15 |   6",
                "10 per 10s leaky-bucket capacity=5 queue | 1 |  10 |   1",
                "10 per 100ms sliding-log               | 100 |  10 | 100",
                "10 per 100ms fixed-window aligned=epoch | 100 | 20 | 110",
            })
    void theWorstOfALimit(String limit, double sustained, double period, double second) {
        List<Capacity.Fact> facts =
                Capacity.of(Map.of("limit", limit, "clients", "3")).limits();
        assertThat(value(facts, "limitSustained")).isCloseTo(3 * sustained, within(1e-9));
        assertThat(value(facts, "limitPeriod")).isEqualTo(3 * period);
        assertThat(value(facts, "limitSecond")).isEqualTo(3 * second);
    }

    /** What comes within one response time is in flight together, and a burst comes at one moment. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10 per 10s token-bucket burst=5          |  6 |  8",
                "10 per 10s sliding-log                   | 10 | 10",
                "10 per 10s fixed-window aligned=epoch    | 20 | 20",
                "10 per 10s leaky-bucket capacity=5 queue |  1 |  3",
            })
    void aBurstIsInFlightTogether(String limit, double shortTime, double longTime) {
        assertThat(value(
                        Capacity.of(Map.of("limit", limit, "clients", "1", "response", "100ms"))
                                .limits(),
                        "limitInFlight"))
                .isEqualTo(shortTime);
        assertThat(value(
                        Capacity.of(Map.of("limit", limit, "clients", "1", "response", "3s"))
                                .limits(),
                        "limitInFlight"))
                .isEqualTo(longTime);
    }

    @Test
    void aConcurrencyLimitBoundsTheRateByTheResponseTime() {
        List<Capacity.Fact> facts = Capacity.of(Map.of("limit", "8 at once", "clients", "2", "response", "200ms"))
                .limits();
        assertThat(value(facts, "limitSustained")).isEqualTo(80);
        assertThat(value(facts, "limitInFlight")).isEqualTo(16);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "qps         | -1      | qps must be a number from 0.001 to 10000000, was '-1'",
                "qps         | NaN     | qps must be a number from 0.001 to 10000000, was 'NaN'",
                "qps         | 1e9     | qps must be a number from 0.001 to 10000000, was '1e9'",
                "response    | fast    | response must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was 'fast'",
                "response    | 0s      | response must be longer than zero and at most 1d, was '0s'",
                "instances   | 1.5     | instances must be a whole number, was '1.5'",
                "utilisation | 100     | utilisation must be a number from 1 to 99, was '100'",
                "target      | 100     | target must be a number from 1 to 99.99999, was '100'",
                "clients     | 0       | clients must be a number from 1 to 100000000, was '0'",
                "colour      | red     | 'colour' is not a parameter; there are qps, response,",
            })
    void badValuesAreNamed(String name, String value, String message) {
        assertThatThrownBy(() -> Capacity.of(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aPoolIsBounded() {
        assertThatThrownBy(() -> Capacity.of(Map.of("qps", "10000000", "response", "1d", "instances", "1"))
                        .pools())
                .hasMessageStartingWith("a pool would need more than 1000000 places");
    }

    private static double value(List<Capacity.Fact> facts, String key) {
        return facts.stream()
                .filter(fact -> fact.key().equals(key))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
