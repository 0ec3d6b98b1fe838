package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which store counts where several could, and that nobody has to guess. */
@ExtendWith(OutputCaptureExtension.class)
class StoreChoiceTest {
    private static final String NOWHERE = "redis://user:secret@127.0.0.1:1";
    private static final String DIFFERENT = "sluice.store and the rule file name different stores";
    private static final String SEVERAL = "the application has several connections to Redis";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceRedisAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        LettuceConnectionFactory sessions() {
            return new LettuceConnectionFactory("127.0.0.1", 1);
        }

        @Bean
        LettuceConnectionFactory carts() {
            return new LettuceConnectionFactory("127.0.0.1", 1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnePrimary {
        @Bean
        @Primary
        LettuceConnectionFactory sessions() {
            return new LettuceConnectionFactory("127.0.0.1", 1);
        }

        @Bean
        LettuceConnectionFactory carts() {
            return new LettuceConnectionFactory("127.0.0.1", 1);
        }
    }

    private String ruleFile() {
        try {
            return Files.writeString(folder.resolve("rules.yaml"), "store: " + NOWHERE + "\nrules: []\n")
                    .toString();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void thePropertyWinsOverTheRuleFileAndAWarningSaysSo(CapturedOutput output) {
        runner.withPropertyValues("sluice.rules=" + ruleFile(), "sluice.store=memory")
                .run(context -> assertThat(context.getBean(Store.class)).isNotInstanceOf(RedisStore.class));
        assertThat(output).containsOnlyOnce(DIFFERENT).doesNotContain("secret");
    }

    @Test
    void theSameStoreTwiceIsNoMistake(CapturedOutput output) {
        runner.withPropertyValues("sluice.rules=" + ruleFile(), "sluice.store=" + NOWHERE)
                .run(context -> assertThat(context.getBean(Store.class)).isInstanceOf(RedisStore.class));
        assertThat(output).doesNotContain(DIFFERENT);
    }

    @Test
    void theRuleFileWinsOverTheApplicationsOwnConnections(CapturedOutput output) {
        runner.withUserConfiguration(Two.class)
                .withPropertyValues("sluice.rules=" + ruleFile())
                .run(context -> assertThat(context.getBean(Store.class)).isInstanceOf(RedisStore.class));
        assertThat(output).doesNotContain(SEVERAL);
    }

    @Test
    void severalConnectionsWithoutAPrimaryOneCountInMemoryAndAWarningSaysSo(CapturedOutput output) {
        runner.withUserConfiguration(Two.class)
                .run(context -> assertThat(context.getBean(Store.class)).isNotInstanceOf(RedisStore.class));
        assertThat(output).containsOnlyOnce(SEVERAL);
    }

    @Test
    void thePrimaryConnectionIsUsed(CapturedOutput output) {
        runner.withUserConfiguration(OnePrimary.class)
                .run(context -> assertThat(context.getBean(Store.class)).isInstanceOf(RedisStore.class));
        assertThat(output).doesNotContain(SEVERAL);
    }
}
