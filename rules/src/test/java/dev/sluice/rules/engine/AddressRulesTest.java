package dev.sluice.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is no address has no counter of its own, and what stands for an address of version 4 has that one's. */
class AddressRulesTest {
    private static final String PER_IP = "rules: [{ name: r, key: [ip], limits: [3 per 1h sliding-log] }]";

    private static Verdict check(Stage stage, String ip) {
        return stage.engine.check(Request.of(Map.of("ip", ip), 1)).join();
    }

    @Test
    void everythingThatIsNoAddressSharesACounter() {
        Stage stage = new Stage(PER_IP);
        for (String ip : new String[] {"garbage", "203.0.113.009", "1.2.3"}) {
            assertThat(check(stage, ip).allowed()).as(ip).isTrue();
        }
        for (String ip :
                new String[] {"", "more", "203.0.113.256", "0x7f.1", "203.0.113.9 x", "::g", "a:b", "invalid"}) {
            assertThat(check(stage, ip).allowed()).as(ip).isFalse();
        }
        assertThat(check(stage, "203.0.113.9").allowed()).isTrue();
    }

    @Test
    void theSameAddressWrittenInOtherWaysSharesItsCounter() {
        Stage stage = new Stage(PER_IP);
        for (String ip : new String[] {"203.0.113.9 ", " 203.0.113.9", "203.0.113.9:4711"}) {
            assertThat(check(stage, ip).allowed()).as(ip).isTrue();
        }
        for (String ip :
                new String[] {"203.0.113.9", "::ffff:203.0.113.9", "::FFFF:cb00:7109", "[::ffff:203.0.113.9]:80"}) {
            assertThat(check(stage, ip).allowed()).as(ip).isFalse();
        }
    }

    @Test
    void aConditionCanNameIt() {
        Stage stage = new Stage("rules: [{ name: r, when: { ip: invalid }, limits: [1 per 1h] }]");
        assertThat(check(stage, "garbage").decisions()).hasSize(1);
        assertThat(check(stage, "203.0.113.9").decisions()).isEmpty();
    }

    @Test
    void aRuleCanDenyIt() {
        Stage stage = new Stage("""
                rules: [{ name: r, key: [ip], missing-key: deny, limits: [3 per 1h sliding-log] }]
                """);
        Verdict denied = check(stage, "garbage");
        assertThat(denied.allowed()).isFalse();
        assertThat(Objects.requireNonNull(denied.decisive()).decision().retryAfterMicros())
                .isEqualTo(Decision.NEVER_MICROS);
        assertThat(stage.check("user=a").allowed()).as("no address at all").isFalse();
        assertThat(stage.allowed(5, "ip=203.0.113.9")).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "64:ff9b::203.0.113.9, 203.0.113.9, NAT64",
        "64:ff9b::cb00:710a, 203.0.113.10, NAT64",
        "2002:cb00:7109:5:6:7:8:9, 203.0.113.9, 6to4",
        "2001:0:4136:e378:8000:63bf:34ff:8ef6, 203.0.113.9, Teredo",
        "64:ff9b:1::cb00:7109, 64:ff9b:1::/64, a NAT64 of somebody's own",
        "2001:1::1, 2001:1::/64, not Teredo"
    })
    void anAddressThatStandsForOneOfVersionFourHasItsKey(String ip, String key, String what) {
        Verdict verdict = check(new Stage(PER_IP), ip);
        assertThat(Objects.requireNonNull(verdict.decisive()).key()).as(what).isEqualTo(key);
    }

    @Test
    void butConditionsSeeTheAddressItself() {
        Stage stage = new Stage("""
                rules:
                  - name: r
                    key: [ip]
                    limits: [3 per 1h sliding-log]
                    overrides: [{ ip: 10.0.0.0/8, limits: [unlimited] }]
                """);
        assertThat(stage.allowed(5, "ip=10.0.0.1")).isEqualTo(5);
        assertThat(stage.allowed(5, "ip=2002:a00:1::1")).isEqualTo(3);
    }

    @Test
    void aHostHasOneForm() {
        Stage stage = new Stage("""
                rules: [{ name: r, when: { host: [shop.example, "*.Shop.example"] }, key: [host], limits: [2 per 1h] }]
                """);
        assertThat(stage.check("host=Shop.EXAMPLE:8080").allowed()).isTrue();
        assertThat(stage.check("host=shop.example.").allowed()).isTrue();
        assertThat(stage.check("host=shop.example").allowed()).isFalse();
        assertThat(stage.check("host=WWW.shop.example:443").decisions()).hasSize(1);
    }
}
