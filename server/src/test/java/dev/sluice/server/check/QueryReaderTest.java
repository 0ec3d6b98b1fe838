package dev.sluice.server.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.rules.Request;
import dev.sluice.server.web.HttpProblem;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryReaderTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "ip=203.0.113.9&path=/login | {ip=203.0.113.9, path=/login} | 1",
                "ip=203.0.113.9&cost=3      | {ip=203.0.113.9}              | 3",
                "cost=0                     | {}                            | 0",
                "cost=9007199254740992      | {}                            | 9007199254740992",
                "''                         | {}                            | 1",
                "&&a=1&&                    | {a=1}                         | 1",
                "a                          | {a=}                          | 1",
                "a=                         | {a=}                          | 1",
                "a=b=c                      | {a=b=c}                       | 1",
                "A=b                        | {a=b}                         | 1",
                "user=J%C3%BCrgen+K.        | {user=Jürgen K.}              | 1",
                "user=%F0%9F%98%80%26%3D    | {user=😀&=}                   | 1",
                "header.X-Key=%25           | {header.x-key=%}              | 1",
            })
    void reads(String query, String attributes, long cost) {
        Request request = QueryReader.read("/v1/check?" + query, 10);
        assertThat(request.attributes()).hasToString(attributes);
        assertThat(request.cost()).isEqualTo(cost);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1&b=%        | in a query two hexadecimal digits follow a percent sign, was '%'",
                "a=%4           | in a query two hexadecimal digits follow a percent sign, was '%4'",
                "a=%zz          | in a query two hexadecimal digits follow a percent sign, was '%zz'",
                "a=%FF          | what a query writes with percent signs is UTF-8, was '%FF'",
                "a=%C3%28       | what a query writes with percent signs is UTF-8, was '%C3%28'",
                "a=%ED%A0%80    | what a query writes with percent signs is UTF-8, was '%ED%A0%80'",
                "cost=-1        | cost must be a whole number from 0 to 9007199254740992, was '-1'",
                "cost=          | cost must be a whole number from 0 to 9007199254740992, was ''",
                "cost=1.5       | cost must be a whole number from 0 to 9007199254740992, was '1.5'",
                "cost=%2B1      | cost must be a whole number from 0 to 9007199254740992, was '+1'",
                "cost=9007199254740993      | cost must be a whole number from 0 to 9007199254740992, was '9007199254740993'",
                "cost=99999999999999999999  | cost must be a whole number from 0 to 9007199254740992, was '99999999999999999999'",
                "cost=1&cost=1  | cost was given twice",
            })
    void refuses(String query, String message) {
        assertThatThrownBy(() -> QueryReader.read("/v1/check?" + query, 10))
                .isInstanceOf(HttpProblem.class)
                .hasMessage(message);
    }

    @Test
    void anAttributeIsThereOnce() {
        assertThatThrownBy(() -> QueryReader.read("ip=1.2.3.4&IP=5.6.7.8", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("given twice");
    }

    @Test
    void whatIsLongIsCutInMessages() {
        assertThatThrownBy(() -> QueryReader.read("cost=" + "9".repeat(5000), 0))
                .hasMessageEndingWith("was '" + "9".repeat(60) + "…'");
    }

    @Test
    void theSameAsPutTogetherByHand() {
        Map<String, String> attributes = Map.of("ip", "2001:DB8::1", "path", "/a/../b//c?x=1");
        assertThat(QueryReader.read("ip=2001:DB8::1&path=/a/../b//c%3Fx=1", 0).attributes())
                .isEqualTo(Request.of(attributes, 1).attributes());
    }
}
