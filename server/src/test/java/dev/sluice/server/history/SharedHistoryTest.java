package dev.sluice.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that share their history through one real Redis; their clocks are wrong. */
class SharedHistoryTest {
    private static final long START = 1_789_000_000;

    private final RedisServer redis = RedisServer.start();
    private final FakeCounters one = server(START);
    private final FakeCounters two = server(START + 5000);

    private FakeCounters server(long start) {
        return new FakeCounters(start, id -> new RedisHistory(redis.url(), "sluice", id));
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void eachShowsTheSum() {
        exchange(one, two);
        one.count("a", Column.ALLOWED, 3).count("only-one", Column.SHED, 4).tick();
        two.count("b", Column.DENIED, 1).count("a", Column.ALLOWED, 10).tick();
        exchange(one, two, one);
        for (FakeCounters each : List.of(one, two)) {
            assertThat(each.sumOfShared("a", Column.ALLOWED)).isEqualTo(13);
            assertThat(each.sumOfShared("b", Column.DENIED)).isEqualTo(1);
            assertThat(each.sumOfShared("only-one", Column.SHED)).isEqualTo(4);
            assertThat(each.recorder.servers()).hasSize(2).allMatch(each.recorder::isHere);
        }
    }

    @Test
    void aServerThatDiesLeavesWhatItSent() {
        exchange(one);
        one.count("a", Column.ALLOWED, 3).tick();
        exchange(one);
        FakeCounters again = server(START + 70);
        exchange(again);
        again.count("a", Column.ALLOWED, 4).tick();
        exchange(again);
        assertThat(again.sumOfShared("a", Column.ALLOWED)).isEqualTo(7);
        exchange(one);
        assertThat(one.sumOfShared("a", Column.ALLOWED)).isEqualTo(7);
    }

    @Test
    void withoutRedisEachShowsItsOwnAndThenItHeals() {
        exchange(one, two);
        one.tick();
        two.tick();
        exchange(one, two);
        redis.kill();
        one.count("a", Column.ALLOWED, 3).tick();
        two.count("a", Column.ALLOWED, 5).tick();
        exchange(one, two);
        assertThat(one.recorder.isSharingReachable()).isFalse();
        assertThat(one.sumOfShared("a", Column.ALLOWED)).isEqualTo(3);
        assertThat(two.sumOfShared("a", Column.ALLOWED)).isEqualTo(5);
        redis.restart();
        exchange(one, two, one);
        assertThat(one.recorder.isSharingReachable()).isTrue();
        assertThat(one.sumOfShared("a", Column.ALLOWED)).isEqualTo(8);
        assertThat(two.sumOfShared("a", Column.ALLOWED)).isEqualTo(8);
    }

    /** The names of rules are written once a minute, and counts name them by their hash. */
    @Test
    void aServerThatStartsAfterRedisWasEmptiedReadsWhatIsCounted() {
        exchange(one);
        one.count("a", Column.ALLOWED, 3).tick();
        exchange(one);
        redis.command("FLUSHALL");
        one.count("a", Column.ALLOWED, 4).tick();
        exchange(one);
        exchange(two);
        two.tick();
        assertThat(two.sumOfShared("a", Column.ALLOWED)).isEqualTo(4);
    }

    @Test
    void aMonthSurvivesARestartAndTheLossOfRedis() {
        exchange(one);
        one.requests(Column.ALLOWED, 90).requests(Column.FAILED, 10).tick();
        for (int i = 0; i < 61; i++) {
            one.tick();
        }
        exchange(one);
        FakeCounters again = server(START);
        exchange(again);
        again.tick();
        Duration month = Duration.ofDays(30);
        assertThat(again.recorder.history().availability(0.999, month))
                .isEqualTo(new Availability(0.999, month, 80, 10));
        assertThat(again.recorder.history().since()).isLessThanOrEqualTo(again.recorder.now());
        redis.command("FLUSHALL");
        for (int i = 0; i < 61; i++) {
            again.tick();
        }
        exchange(again);
        assertThat(again.recorder.history().availability(0.999, month).good()).isEqualTo(80);
    }

    @Test
    void aSlotThatIsSentAgainCountsOnce() {
        RedisHistory sender = new RedisHistory(redis.url(), "sluice", "x");
        RedisHistory reader = new RedisHistory(redis.url(), "sluice", "y");
        Differences.Change counts =
                new Differences.Change(java.util.Map.of(Row.SERVICE, new long[] {5, 1}), java.util.Map.of());
        SharedSlot minute = SharedSlot.of(SharedSlot.Span.MINUTE, START / 60, List.of(), java.util.Map.of(), counts);
        sender.publish(minute, 1);
        sender.publish(minute, 1);
        assertThat(reader.news()).hasSize(1);
        assertThat(reader.hours().byHour().get(START / 3600)).containsExactly(5, 1);
        sender.close();
        reader.close();
    }

    /** Whatever is in Redis: what cannot be read is left out, and the rest goes on. */
    @Test
    void strangeEntriesAreLeftOut() {
        exchange(one, two);
        redis.command("XADD", "sluice:{history}:seconds", "*", "s", "x", "t", "soon", "n", "none", "f", "AAAA");
        redis.command("XADD", "sluice:{history}:seconds", "*", "other", "field");
        redis.command("XADD", "sluice:{history}:minutes", "*", "s", "x", "t", "9223372036854775807", "f", "");
        redis.command("HSET", "sluice:{history}:servers", "x", "[]", "y", "{\"since\": \"<script>\"}");
        one.count("a", Column.ALLOWED, 3).tick();
        exchange(one, two);
        assertThat(two.recorder.isSharingReachable()).isTrue();
        assertThat(two.recorder.servers()).hasSize(2);
        two.tick();
        assertThat(two.sumOfShared("a", Column.ALLOWED)).isEqualTo(3);
    }

    @Test
    void whatIsKeptIsBounded() {
        exchange(one);
        for (int i = 0; i < 200; i++) {
            one.count("a", Column.ALLOWED, 1).tick();
        }
        exchange(one);
        assertThat(redis.number("XLEN", "sluice:{history}:seconds")).isEqualTo(200);
        assertThat(redis.keys())
                .allSatisfy(key -> assertThat(redis.number("TTL", key)).isPositive());
    }

    private static void exchange(FakeCounters... servers) {
        for (FakeCounters server : servers) {
            server.recorder.exchange();
        }
    }
}
