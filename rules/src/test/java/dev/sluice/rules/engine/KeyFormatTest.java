package dev.sluice.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.match.PathOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyFormatTest {
    private static final KeyFormat BOTH =
            new KeyFormat(Rule.named("r").key("user", "device").build(), PathOptions.DEFAULT);
    private static final KeyFormat IP = new KeyFormat(Rule.named("r").key("ip").build(), PathOptions.DEFAULT);

    @Test
    void noTwoKeysCollide() {
        assertThat(BOTH.of(request("a", "b_c"))).isEqualTo("a|b_c");
        assertThat(BOTH.of(request("a|b", "c"))).isEqualTo("a\\|b|c");
        assertThat(BOTH.of(request("a", "b|c"))).isEqualTo("a|b\\|c");
        KeyFormat apply = new KeyFormat(
                Rule.named("r")
                        .key("user", "device")
                        .missingKey(Rule.MissingKey.APPLY)
                        .build(),
                PathOptions.DEFAULT);
        Map<String, Map<String, String>> seen = new HashMap<>();
        Random random = new Random(11);
        for (int i = 0; i < 20_000; i++) {
            Map<String, String> attributes = new HashMap<>();
            for (String name : new String[] {"user", "device"}) {
                if (random.nextInt(5) > 0) {
                    attributes.put(name, random(random));
                }
            }
            Request request = Request.of(attributes, 1);
            String key = String.valueOf(apply.of(request));
            assertThat(seen.computeIfAbsent(key, unseen -> attributes)).isEqualTo(attributes);
            Request again = apply.request(key);
            assertThat(again == null ? Map.of() : again.attributes()).isEqualTo(attributes);
        }
    }

    private static String random(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append("a|\\-".charAt(random.nextInt(4)));
        }
        return text.toString();
    }

    private static Request request(String user, String device) {
        return Request.of(Map.of("user", user, "device", device), 1);
    }

    @Test
    void aLongValueIsReplacedByItsDigest() {
        String key = String.valueOf(BOTH.of(request("\ud83d\ude00".repeat(5000), "b")));
        String other = String.valueOf(BOTH.of(request("\ud83d\ude00".repeat(5000) + "x", "b")));
        assertThat(key).hasSizeLessThan(1024).endsWith("|b").isNotEqualTo(other);
        Request again = BOTH.request(key);
        assertThat(again == null ? null : BOTH.of(again)).isEqualTo(key);
        assertThat(BOTH.of(request("x".repeat(512), "b"))).isEqualTo("x".repeat(512) + "|b");
    }

    @Test
    void aRuleDoesNotApplyWithoutItsKey() {
        assertThat(BOTH.of(Request.of(Map.of("user", "a"), 1))).isNull();
        assertThat(BOTH.missing(Request.of(Map.of("user", "a"), 1))).isEqualTo("device");
        assertThat(new KeyFormat(Rule.named("r").build(), PathOptions.DEFAULT).of(request("a", "b")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "::ffff:203.0.113.9, 203.0.113.9",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
        "2001:DB8:1:2:ffff::, 2001:db8:1:2::/64",
        "unknown, invalid"
    })
    void addressesOfVersionSixGoByTheirNetwork(String ip, String key) {
        assertThat(IP.of(Request.of(Map.of("ip", ip), 1))).isEqualTo(key);
    }

    @Test
    void unlessToldOtherwise() {
        Request request = Request.of(Map.of("ip", "2001:db8:1:2:3:4:5:6"), 1);
        assertThat(new KeyFormat(Rule.named("r").key("ip").ipv6Prefix(48).build(), PathOptions.DEFAULT).of(request))
                .isEqualTo("2001:db8:1::/48");
        assertThat(new KeyFormat(Rule.named("r").key("ip").ipv6Prefix(128).build(), PathOptions.DEFAULT).of(request))
                .isEqualTo("2001:db8:1:2:3:4:5:6");
    }

    @Test
    void whatIsNoKeyOfTheRuleMakesNoRequest() {
        assertThat(BOTH.request("a")).isNull();
        assertThat(BOTH.request("a|b|c")).isNull();
        assertThat(BOTH.request("a\\x|b")).isNull();
        assertThat(BOTH.request("a|b\\")).isNull();
        assertThat(new KeyFormat(Rule.named("r").build(), PathOptions.DEFAULT).request("a"))
                .isNull();
    }
}
