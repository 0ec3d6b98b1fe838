package dev.sluice.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
public class KeyNamesTest {
    private static final String HIGH = "\ud83d"; // the halves of a smile
    private static final String LOW = "\ude00";
    private static final List<String> ONE = List.of("2T1m");

    /** Keys that are easily taken for one another, or for a part of a name. */
    public static final List<String> ODD = List.of(
            "",
            " ",
            ":",
            "%",
            "%3A",
            "%253A",
            "{",
            "}",
            "{}",
            "{a}",
            "}:0",
            "a}:0",
            "a",
            "A",
            "a:0",
            "a%3A0",
            "é",
            "e\u0301",
            "\u00c3\u00a9",
            HIGH,
            LOW,
            HIGH + LOW,
            LOW + HIGH,
            "%ud83d",
            "?",
            "\ufffd",
            "\0",
            "\r\n",
            "*",
            "[a]",
            "\\",
            "键",
            "ключ",
            "ip:203.0.113.9");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sluice    | login | ip:203.0.113.9      | sluice:{login:ip%3A203.0.113.9}:2T1m
            sluice    | login | ''                  | sluice:{login:}:2T1m
            shop:prod | login | a/b@c.d-e_f~g+h=i,j | shop:prod:{login:a/b@c.d-e_f~g+h=i,j}:2T1m
            ''        | a:b   | c                   | :{a%3Ab:c}:2T1m
            {a}:b     | {     | }                   | %7Ba%7D:b:{%7B:%7D}:2T1m
            sluice    | x     | 100% é              | sluice:{x:100%25%20%C3%A9}:2T1m
            """)
    void names(String prefix, String limiter, String key, String name) {
        assertThat(new KeyNames(prefix, limiter).of(key, ONE)).containsExactly(name);
    }

    @Test
    void theLimitsOfAKeyDifferInTheLastPartOnly() {
        assertThat(new KeyNames("p", "l").of("k", List.of("2T1s", "2T1m", "1C")))
                .containsExactly("p:{l:k}:2T1s", "p:{l:k}:2T1m", "p:{l:k}:1C");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            5 per 1m fixed-window                            | 1F1m
            50 per 1m fixed-window                           | 1F1m
            5 per 90s fixed-window aligned=epoch             | 1A90s
            5 per 1d fixed-window aligned=Asia/Tokyo         | 1Dday@Asia/Tokyo
            5 per 1d fixed-window aligned=+05:30             | 1Dday@+05%3A30
            5 per 1m sliding-window slices=6                 | 1W1m
            5 per 1m sliding-window slices=4 weighted        | 1W1m
            5 per 1m sliding-log                             | 1L1m
            5 per 1s token-bucket burst=9                    | 2T1s
            5 per 500ms leaky-bucket                         | 2M500ms
            5 per 500ms leaky-bucket queue                   | 2Q500ms
            5 at once                                        | 1C
            """)
    void identities(String limit, String identity) {
        assertThat(LimitIdentity.of(List.of(Limit.parse(limit)))).containsExactly(identity);
    }

    @Test
    void limitsOfOneIdentityAreNumberedByTheirPermitsWhateverTheirOrder() {
        Limit small = Limit.parse("5 per 1s token-bucket");
        Limit large = Limit.parse("9 per 1s token-bucket");
        Limit other = Limit.parse("5 per 1s sliding-log");
        assertThat(LimitIdentity.of(List.of(small, other, large))).containsExactly("2T1s", "1L1s", "2T1s.1");
        assertThat(LimitIdentity.of(List.of(large, small, other))).containsExactly("2T1s.1", "2T1s", "1L1s");
        assertThat(LimitIdentity.of(List.of(small, small, small))).containsExactly("2T1s", "2T1s.1", "2T1s.2");
    }

    @Test
    void halvesOfCharactersAreToldApart() {
        assertThat(List.of(KeyNames.escaped(HIGH), KeyNames.escaped(LOW), KeyNames.escaped(HIGH + LOW)))
                .containsExactly("%ud83d", "%ude00", "%F0%9F%98%80");
    }

    @Test
    void noTwoOddKeysShareAName() {
        Set<String> names = new HashSet<>();
        for (String limiter : ODD) {
            for (String key : ODD) {
                assertThat(names.add(new KeyNames("sluice", limiter).of(key, ONE)[0]))
                        .as(limiter + " and " + key)
                        .isTrue();
            }
        }
    }

    @Test
    void noTwoRandomKeysShareAName() {
        Random random = new Random(42);
        String alphabet = "ab:%{}03Aud8é" + HIGH + LOW;
        Map<String, List<String>> seen = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            List<String> parts = new ArrayList<>();
            for (int part = 0; part < 3; part++) {
                StringBuilder text = new StringBuilder();
                for (int length = random.nextInt(5); length > 0; length--) {
                    text.append(alphabet.charAt(random.nextInt(alphabet.length())));
                }
                parts.add(text.toString());
            }
            String name = new KeyNames(parts.get(0), parts.get(1)).of(parts.get(2), ONE)[0];
            List<String> other = seen.putIfAbsent(name, parts);
            assertThat(other == null || other.equals(parts))
                    .as(name + " of " + parts + " and " + other)
                    .isTrue();
            assertThat(name.chars().allMatch(c -> c > ' ' && c < 127)).as(name).isTrue();
            assertThat(name.chars().filter(c -> c == '{' || c == '}').count())
                    .as(name)
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void eachOddKeyHasItsOwnCounter(Client client) {
        List<String> keys = new ArrayList<>(ODD);
        keys.add("x".repeat(100_000));
        keys.add("x".repeat(100_000) + "y");
        keys.add("键".repeat(33_000));
        try (RedisServer server = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(server.url())
                        .client(client)
                        .timeout(Duration.ofSeconds(10))
                        .build()) {
            Limiter limiter = store.limiter("odd:{}", Limit.fixedWindow(2, Duration.ofHours(1)));
            for (int i = 0; i < 2; i++) {
                for (String key : keys) {
                    assertThat(limiter.decide(key, 1).remaining())
                            .as(shown(key))
                            .isEqualTo(1 - i);
                }
            }
            for (String key : keys) {
                assertThat(limiter.tryAcquire(key)).as(shown(key)).isFalse();
            }
            limiter.reset("{a}");
            assertThat(limiter.tryAcquire("{a}")).isTrue();
            assertThat(server.number("DBSIZE")).isEqualTo(keys.size());
            assertThat(store.counters().decidedLocally()).isZero();
        }
    }

    private static String shown(String key) {
        return "'" + key.substring(0, Math.min(20, key.length())) + "', " + key.length() + " characters";
    }
}
