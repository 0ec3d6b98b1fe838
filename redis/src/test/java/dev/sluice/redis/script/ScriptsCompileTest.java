package dev.sluice.redis.script;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.redis.servers.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lua has a bound on the names of a script. As many limits as are allowed fit into each of them, also while they change. */
@Timeout(60)
@Tag("slow")
class ScriptsCompileTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A limit of so many minutes. */
    private static final List<IntFunction<Limit>> KINDS = List.of(
            minutes -> Limit.fixedWindow(5, ofMinutes(minutes)),
            minutes -> Limit.slidingWindow(5, ofMinutes(minutes), 6),
            minutes -> Limit.slidingLog(5, ofMinutes(minutes)),
            minutes -> Limit.tokenBucket(5, ofMinutes(minutes)),
            minutes -> Limit.concurrency(minutes));

    private static List<Limit> asManyAsAreAllowed(Limit limit) {
        return Collections.nCopies(Script.MAX_LIMITS, limit);
    }

    @Test
    void asManyLimitsAsAreAllowedFit() {
        Map<String, String> refused = new TreeMap<>();
        for (IntFunction<Limit> kind : KINDS) {
            List<LimitScripts> all = new ArrayList<>();
            LimitScripts scripts =
                    LimitScripts.of(asManyAsAreAllowed(kind.apply(1)), Script.file("server-time"), 30_000_000, 0);
            all.add(scripts);
            for (int minutes : List.of(2, 3, 4, 1)) {
                scripts = scripts.changedTo(asManyAsAreAllowed(kind.apply(minutes)), 0, 0);
                all.add(scripts);
            }
            for (LimitScripts each : all) {
                Map<String, Script> named = Map.of(
                        "decide", each.decide(),
                        "decideAlone", each.decideAlone(),
                        "settle", each.settle(),
                        "usage", each.usage());
                named.forEach((name, script) -> {
                    String reply;
                    try {
                        reply = String.valueOf(server.text("SCRIPT", "LOAD", script.text()));
                    } catch (RuntimeException e) {
                        reply = String.valueOf(e.getMessage());
                    }
                    if (!reply.equals(script.sha())) {
                        refused.put(
                                name + " of " + each.limits().get(0) + " "
                                        + each.names().size(),
                                reply);
                    }
                });
            }
        }
        assertThat(refused).isEmpty();
    }
}
