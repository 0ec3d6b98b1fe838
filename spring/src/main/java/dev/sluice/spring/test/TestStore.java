package dev.sluice.spring.test;

import dev.sluice.Store;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A store in memory, on a clock that the test moves. */
@Configuration(proxyBeanMethods = false)
class TestStore {
    @Bean
    TestClock sluiceTestClock() {
        return new TestClock();
    }

    @Bean(destroyMethod = "close")
    Store sluiceStore(TestClock clock) {
        return Store.local(clock);
    }
}
