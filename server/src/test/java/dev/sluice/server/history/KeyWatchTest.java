package dev.sluice.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyWatchTest {
    private final ManualClock clock = new ManualClock();
    private final KeyWatch keys = new KeyWatch(clock);

    @Test
    void hotKeysAreCountedWhileSomebodyLooks() {
        come("a", "k", 500);
        assertThat(keys.hot(20)).isEmpty();
        keys.watch();
        assertThat(keys.hot(20)).as("nobody looked before").isEmpty();
        come("a", "k", 500);
        come("b", "k", 300);
        come("b", "rare", 99);
        assertThat(keys.hot(20))
                .containsExactly(
                        new KeyWatch.Key("a", "k", 500, 500, false), new KeyWatch.Key("b", "k", 300, 300, false));
        assertThat(keys.hot(1)).hasSize(1);
        clock.advance(Duration.ofSeconds(11));
        assertThat(keys.hot(20)).isEmpty();
        assertThat(keys.isWatched()).isFalse();
    }

    @Test
    void deniedKeysAreThoseOfTheLastMinute() {
        keys.denied("a", "old");
        clock.advance(Duration.ofSeconds(70));
        keys.denied("a", "k:1");
        keys.denied("a", "k:1");
        keys.denied("b", "");
        assertThat(keys.denied(20))
                .containsExactly(new KeyWatch.Key("a", "k:1", 2, 2, false), new KeyWatch.Key("b", "", 1, 1, false));
    }

    @Test
    void rulesBeyondTheBoundAreOther() {
        for (int i = 0; i < 5000; i++) {
            keys.denied("rule-" + i, "k");
        }
        keys.denied("rule-4999", "k");
        assertThat(keys.denied(1)).extracting(KeyWatch.Key::rule).isEqualTo(List.of(RuleRows.OTHER));
    }

    /** Also a key that looks as a shortened one does. */
    @Test
    void longKeysAreListedWhole() {
        String lookalike = "x".repeat(24) + "~" + "0".repeat(32);
        for (String key : List.of("k".repeat(56), "k".repeat(57), "k".repeat(64), lookalike, "k".repeat(256))) {
            keys.denied("a", key);
            assertThat(keys.denied(20)).contains(new KeyWatch.Key("a", key, 1, 1, false));
        }
    }

    @Test
    void longerKeysAreListedShortAndFoundByThat() {
        String key = "k".repeat(257);
        String other = "k".repeat(256) + "l";
        keys.denied("a", key);
        keys.denied("b", key);
        keys.denied("b", other);
        List<KeyWatch.Key> listed = keys.denied(20);
        assertThat(listed).hasSize(3).allMatch(KeyWatch.Key::isShortened);
        assertThat(listed)
                .extracting(each -> keys.whole(each.key()).orElseThrow())
                .containsExactlyInAnyOrder(key, key, other);
        assertThat(new KeyWatch(clock).whole(listed.get(0).key())).isEmpty();
    }

    /** An attack with keys of any length, none of them twice, and in between one that comes often. */
    @Test
    void whatIsKeptOfThemIsBounded() {
        String often = "o".repeat(LongKeys.MAX_LENGTH);
        for (int i = 0; i < 5_000; i++) {
            keys.denied("a", i + "x".repeat(300));
            if (i % 10 == 0) {
                keys.denied("a", often);
            }
        }
        keys.denied("a", "y".repeat(LongKeys.MAX_LENGTH + 1));
        KeyWatch.Key first = keys.denied(20).get(0);
        assertThat(first.atLeast()).isGreaterThanOrEqualTo(500);
        assertThat(keys.whole(first.key())).hasValue(often);
    }

    private void come(String rule, String key, int times) {
        for (int i = 0; i < times; i++) {
            keys.decided(rule, key);
        }
    }
}
