package dev.sluice.server.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.server.web.HttpProblem;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckReaderTest {
    @Test
    void one() {
        CheckReader.Checks checks =
                read("{'attributes': {'ip': '203.0.113.9', 'Path': '/login'}, 'cost': 3, 'leaseMs': 5000}");
        assertThat(checks.list()).isFalse();
        assertThat(checks.all()).singleElement().satisfies(check -> {
            assertThat(check.request().attributes()).hasToString("{ip=203.0.113.9, path=/login}");
            assertThat(check.request().cost()).isEqualTo(3);
            assertThat(check.leaseMillis()).isEqualTo(5000);
        });
    }

    @Test
    void withoutACostItIsOneAndWithoutALeaseTheRuleSaysIt() {
        CheckRequest check = read("{'attributes': {}}").all().get(0);
        assertThat(check.request().cost()).isEqualTo(1);
        assertThat(check.lease()).isNull();
    }

    @Test
    void list() {
        CheckReader.Checks checks = read("[{'cost': 0, 'attributes': {'a': 'x'}}, {'attributes': {'a': 'y'}}]");
        assertThat(checks.list()).isTrue();
        assertThat(checks.all())
                .extracting(check -> check.request().toString())
                .containsExactly("Request{a=x} for 0", "Request{a=y}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                  | the body must be an object like",
                "null                                | the body must be an object like",
                "5                                   | the body must be an object like",
                "[]                                  | the list of checks is empty",
                "[5]                                 | [0] must be an object with attributes, was 5",
                "[{'attributes':{}}, []]             | [1] must be an object with attributes, was a list",
                "{}                                  | attributes is missing",
                "[{'attributes':{}}, {'cost': 1}]    | [1].attributes is missing",
                "{'attributes': []}                  | attributes must be an object, was a list",
                "{'attributes': null}                | attributes must be an object, was null",
                "{'attributes': {'ip': 5}}           | attributes: 'ip' must be a string, was 5",
                "{'attributes': {'ip': {}}}          | attributes: 'ip' must be a string, was an object",
                "{'attributes': {'ip': null}}        | attributes: 'ip' must be a string, was null",
                "{'attributes': {'': 'x'}}           | the name of an attribute has 1 to 128 characters, was ''",
                "{'attributes': {'a':'1','A':'2'}}   | attribute 'a' was given twice: '1' and '2'",
                "{'attributes': {}, 'cost': -1}      | cost must be a whole number from 0 to 9007199254740992, was -1",
                "{'attributes': {}, 'cost': 1.0}     | cost must be a whole number from 0 to 9007199254740992, was 1.0",
                "{'attributes': {}, 'cost': 1e3}     | cost must be a whole number from 0 to 9007199254740992, was 1e3",
                "{'attributes': {}, 'cost': '1'}     | cost must be a whole number from 0 to 9007199254740992, was '1'",
                "{'attributes': {}, 'cost': true}    | cost must be a whole number from 0 to 9007199254740992, was true",
                "{'attributes': {}, 'cost': 99999999999999999999999} | cost must be a whole number from 0 to 9007199254740992, was 99999999999999999999999",
                "[{'attributes': {}, 'cost': 9007199254740993}]      | [0].cost must be a whole number from 0 to 9007199254740992, was 9007199254740993",
                "{'attributes': {}, 'leaseMs': 0}    | leaseMs must be a whole number from 1 to 86400000, was 0",
                "{'attributes': {}, 'price': 1}      | there is no member 'price'; there are attributes, cost and leaseMs",
                "[{'attribute': {}}]                 | there is no member '[0].attribute'; there are attributes, cost and leaseMs",
                "{'attributes': {}} x                | the body is not JSON at line 1, column 20",
                "{'attributes': {}} {}               | after the check there is more at line 1, column 20: an object",
                "{'attributes': {'a': 'b}}           | the body is not JSON at line 1, column",
                "{'attributes': {'a': 'b', 'a': 'c'}} | the body is not JSON at line 1, column",
                "{'attributes': {}, 'cost': NaN}     | the body is not JSON at line 1, column",
                "[[[[[[[[[[                          | [0] must be an object with attributes, was a list",
            })
    void refuses(String body, String message) {
        assertThatThrownBy(() -> read(body)).isInstanceOf(HttpProblem.class).hasMessageStartingWith(message);
    }

    @Test
    void whatIsTooMuch() {
        String many =
                IntStream.rangeClosed(1, 65).mapToObj(i -> "'a" + i + "':'x'").collect(Collectors.joining(","));
        assertThatThrownBy(() -> read("{'attributes': {" + many + "}}"))
                .hasMessage("a request has at most 64 attributes");
        assertThat(read("{'attributes': {'a': '" + "x".repeat(500_000) + "'}}").all())
                .as("a long value is not refused")
                .hasSize(1);
        assertThatThrownBy(() -> read("{'attributes': {}, 'cost': " + "9".repeat(5000) + "}"))
                .hasMessageStartingWith("the body is not JSON");
        String list = "[" + "{'attributes': {}},".repeat(10) + "{'attributes': {}}]";
        assertThatThrownBy(() -> read(list))
                .isInstanceOfSatisfying(
                        HttpProblem.class, e -> assertThat(e.status()).isEqualTo(413))
                .hasMessage("a list has at most 10 checks");
    }

    @Test
    void bytesThatAreNotText() {
        byte[] bytes = {'{', '"', (byte) 0xc3, (byte) 0x28, '"'};
        assertThatThrownBy(() -> CheckReader.read(bytes, 10))
                .isInstanceOf(HttpProblem.class)
                .hasMessageStartingWith("the body is not JSON");
    }

    private static CheckReader.Checks read(String json) {
        return CheckReader.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), 10);
    }
}
