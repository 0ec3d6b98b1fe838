package dev.sluice.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandStatsTest {
    private static final CommandStats BEFORE = CommandStats.of("""
            # Commandstats
            cmdstat_evalsha:calls=10,usec=100,usec_per_call=10.00,rejected_calls=0,failed_calls=0
            cmdstat_get:calls=10,usec=20,usec_per_call=2.00,rejected_calls=0,failed_calls=0
            """);
    private static final CommandStats AFTER = CommandStats.of("""
            # Commandstats
            cmdstat_evalsha:calls=14,usec=150,usec_per_call=10.00,rejected_calls=0,failed_calls=0
            cmdstat_eval:calls=1,usec=10,usec_per_call=10.00,rejected_calls=0,failed_calls=0
            cmdstat_get:calls=25,usec=50,usec_per_call=2.00,rejected_calls=0,failed_calls=0
            cmdstat_config|get:calls=1,usec=9,usec_per_call=9.00,rejected_calls=0,failed_calls=0
            """);

    @Test
    void whatScriptsCallIsAPartOfThem() {
        assertThat(AFTER.since(BEFORE).scripts()).isEqualTo(new CommandStats.Cost(5, 60));
    }

    @Test
    void whatClientsSendBesideThemCountsToo() {
        assertThat(AFTER.since(BEFORE).scriptsAndGets()).isEqualTo(new CommandStats.Cost(15, 80));
        assertThat(BEFORE.since(BEFORE).scriptsAndGets()).isEqualTo(new CommandStats.Cost(0, 0));
    }
}
