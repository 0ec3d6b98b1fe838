package dev.sluice.spring.test;

import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Counters in memory, on a clock that the test moves, which can begin anew. */
@Configuration(proxyBeanMethods = false)
class TestCounters {
    @Bean
    TestClock sluiceTestClock() {
        return new TestClock();
    }

    @Bean(destroyMethod = "close")
    @Primary
    Store sluiceStore(TestClock clock) {
        return Store.builder().ticker(clock).scheduler(clock).build();
    }

    @Bean
    Reset sluiceTestReset(Store sluiceStore, TestClock clock, ObjectProvider<RuleEngine> engine) {
        engine.ifAvailable(rules -> clock.waiters(rules::waiting));
        return new Reset(sluiceStore, clock, engine);
    }

    /** Begins anew: nothing counted, nobody waiting, the clock at its start. */
    record Reset(Store store, TestClock clock, ObjectProvider<RuleEngine> engine) {
        void run() {
            engine.ifAvailable(RuleEngine::reset);
            store.reset();
            clock.set(TestClock.START);
        }
    }
}
