package dev.sluice.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig
@AutoConfigureSluice
class AutoConfigureSluiceTest {
    @Configuration(proxyBeanMethods = false)
    @Import(Newsletter.class)
    static class App {}

    static class Newsletter {
        @RateLimit("1 per 1d sliding-log")
        public String send() {
            return "sent";
        }
    }

    @Autowired
    @SuppressWarnings("NullAway.Init")
    Newsletter newsletter;

    @Autowired
    @SuppressWarnings("NullAway.Init")
    TestClock clock;

    @Test
    void aDayPassesAtOnce() {
        assertThat(newsletter.send()).isEqualTo("sent");
        clock.advance(Duration.ofHours(23));
        assertThatThrownBy(newsletter::send).isInstanceOf(RateLimitedException.class);
        clock.advance(Duration.ofHours(1));
        assertThat(newsletter.send()).isEqualTo("sent");
    }
}
