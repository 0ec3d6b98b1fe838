package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.match.Condition;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules that are added one by one. */
class RuleRegistryTest {
    private static Rule rule(int number) {
        return Rule.named("Shop.m" + number)
                .when(Condition.is("java-method", "Shop.m" + number))
                .limits(Limit.slidingWindow(1, Duration.ofHours(1)))
                .build();
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** An application may have a thousand annotated methods, and starts no slower for each that it has already. */
    @Test
    void addingARuleDoesNotCompileTheOthersAgain() {
        RuleRegistry registry = new RuleRegistry(Store.local(), RuleSet.of());
        for (int i = 0; i < 1000; i++) {
            registry.add(rule(i), "Shop.m" + i + "()");
        }
        Rule last = rule(1000);
        long before = allocatedBytes();
        registry.add(last, "Shop.m1000()");
        long perRule = (allocatedBytes() - before) / 1000;
        assertThat(perRule).isLessThan(300);
        assertThat(registry.rules()).hasSize(1001);
    }

    @Test
    void whatWasAddedIsInForceAtOnce() {
        RuleRegistry registry = new RuleRegistry(Store.local(), RuleSet.of(rule(0)));
        registry.add(rule(1), "one");
        RuleCheck check = new RuleCheck("Shop.m1", Request.builder().build());
        assertThat(registry.engine().check(List.of(check)).join().allowed()).isTrue();
        registry.add(rule(2), "two");
        assertThat(registry.engine().check(List.of(check)).join().allowed()).isFalse();
        assertThat(registry.engine().rules().rules())
                .extracting(Rule::name)
                .containsExactly("Shop.m0", "Shop.m1", "Shop.m2");
        assertThat(registry.engine()
                        .check(Request.builder().with("java-method", "Shop.m2").build())
                        .join()
                        .decisions())
                .hasSize(1);
        assertThatThrownBy(() -> registry.add(rule(1), "elsewhere"))
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining("elsewhere: the name 'Shop.m1' is taken by the limit of one");
        assertThatThrownBy(() -> registry.add(rule(0), "elsewhere")).hasMessageContaining("is taken by a rule");
    }
}
