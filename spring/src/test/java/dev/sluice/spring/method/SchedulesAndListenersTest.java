package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.SluiceAutoConfiguration;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/** Methods that Spring calls by itself. */
class SchedulesAndListenersTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private static ApplicationContextRunner app(Class<?>... configurations) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SluiceAutoConfiguration.class, SluiceMethodAutoConfiguration.class))
                .withUserConfiguration(configurations);
    }

    static class Jobs {
        final AtomicInteger ran = new AtomicInteger();
        final AtomicInteger began = new AtomicInteger();

        int ran() {
            return ran.get();
        }

        int began() {
            return began.get();
        }

        @Scheduled(fixedRate = 5)
        @RateLimit("2 per 1h")
        public void often() {
            ran.incrementAndGet();
        }

        @Scheduled(fixedRate = 5)
        public void ticking() {
            began.incrementAndGet();
        }

        @Scheduled(fixedRate = 1_000_000)
        @RateLimit("1 per 1h")
        public Mono<Void> reactive() {
            return Mono.empty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Schedules {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setErrorHandler(errors::add);
            return scheduler;
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    @Test
    void aRunOverTheLimitIsSkipped() {
        app(Schedules.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Eventually.holds("the schedule went on", SOON, () -> jobs.began() > 20 && jobs.ran() == 2);
            assertThat(jobs.ran()).isEqualTo(2);
            assertThat(context.getBean(Schedules.class).errors).isEmpty();
            jobs.reactive().block();
            jobs.reactive().block();
        });
    }

    static class Events {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @EventListener
        @RateLimit("2 per 1h")
        public void on(String event) {
            seen.add(event);
        }

        List<String> seen() {
            return seen;
        }
    }

    @Test
    void whoeverPublishesAnEventIsTold() {
        app().withBean(Events.class).run(context -> {
            context.publishEvent("one");
            context.publishEvent("two");
            assertThatThrownBy(() -> context.publishEvent("three")).isInstanceOf(RateLimitedException.class);
            assertThat(context.getBean(Events.class).seen()).containsExactly("one", "two");
        });
    }

    static class Orders {
        final List<Long> taken = new CopyOnWriteArrayList<>();

        @JmsListener(destination = "orders")
        @RateLimit(value = "1 per 50ms", waitUpTo = "10s")
        public void take(String order) {
            taken.add(System.nanoTime());
        }

        List<Long> taken() {
            return taken;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJms
    static class Jms {
        @Bean(initMethod = "start", destroyMethod = "stop")
        EmbeddedActiveMQ broker() throws Exception {
            ConfigurationImpl configuration = new ConfigurationImpl();
            configuration.setPersistenceEnabled(false).setSecurityEnabled(false).setJMXManagementEnabled(false);
            configuration.addAcceptorConfiguration("in-vm", "vm://0");
            EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
            broker.setConfiguration(configuration);
            return broker;
        }

        @Bean
        ConnectionFactory connections(EmbeddedActiveMQ broker) {
            return new ActiveMQConnectionFactory("vm://0");
        }

        @Bean
        DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections) {
            DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
            factory.setConnectionFactory(connections);
            return factory;
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Test
    void aWaitingLimitPacesWhatIsConsumed() {
        app(Jms.class).run(context -> {
            JmsTemplate jms = new JmsTemplate(context.getBean(ConnectionFactory.class));
            for (int i = 0; i < 6; i++) {
                jms.convertAndSend("orders", "order " + i);
            }
            List<Long> taken = context.getBean(Orders.class).taken();
            Eventually.holds("all are taken", SOON, () -> taken.size() == 6);
            assertThat(taken.get(5) - taken.get(0))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(200).toNanos());
        });
    }
}
