package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RateLimitedException;
import dev.sluice.spring.RuleRegistry;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.AliasFor;

/** Annotations on all kinds of beans. */
class BeanShapesTest {
    private static void requireLimited(String rule, Runnable call) {
        call.run();
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        RateLimitedException.class, e -> assertThat(e.rule()).isEqualTo(rule));
    }

    // ---- Names

    static class A {
        static class Twin {
            @RateLimit("5 per 1m")
            public void m() {}
        }
    }

    static class B {
        static class Twin {
            @RateLimit("6 per 1m")
            public void m() {}
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b", "b,a", "lazy b,a", "lazy a,lazy b"})
    void twoClassesOfOneNameNeverShareALimit(String order) {
        ApplicationContextRunner runner = Contexts.of(Object.class);
        for (String each : order.split(",", -1)) {
            Class<?> type = each.endsWith("a") ? A.Twin.class : B.Twin.class;
            runner = runner.withInitializer(context ->
                    register(context, each, type, definition -> definition.setLazyInit(each.startsWith("lazy"))));
        }
        runner.run(context -> assertThat(WrongAnnotationTest.cause(context.getStartupFailure()))
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContainingAll(
                        "BeanShapesTest$A$Twin.m()",
                        "BeanShapesTest$B$Twin.m()",
                        "the name 'Twin.m' is taken",
                        "give one of them another name"));
    }

    private static void register(
            ApplicationContext context, String name, Class<?> type, Consumer<RootBeanDefinition> customizer) {
        RootBeanDefinition definition = new RootBeanDefinition(type);
        customizer.accept(definition);
        ((GenericApplicationContext) context).registerBeanDefinition(name, definition);
    }

    @Test
    void twoBeansOfOneClassShareItsLimit() {
        Contexts.of(Object.class)
                .withBean("one", A.Twin.class)
                .withBean("two", A.Twin.class)
                .run(context -> {
                    for (int i = 0; i < 5; i++) {
                        context.getBean(i % 2 == 0 ? "one" : "two", A.Twin.class)
                                .m();
                    }
                    assertThatThrownBy(
                                    () -> context.getBean("two", A.Twin.class).m())
                            .isInstanceOf(RateLimitedException.class);
                });
    }

    // ---- Inheritance

    interface Greeter<T> {
        @RateLimit("1 per 1m")
        String greet(T who);

        @RateLimit("1 per 1m")
        default String wave() {
            return "wave";
        }
    }

    static class Polite implements Greeter<String> {
        @Override
        public String greet(String who) {
            return "good day " + who;
        }
    }

    static class Strict implements Greeter<String> {
        @Override
        @RateLimit("2 per 1m")
        public String greet(String who) {
            return "what, " + who;
        }
    }

    @Test
    void bridgesAndDefaultMethodsAreLimitedOnce() {
        Contexts.of(Polite.class).run(context -> {
            Polite polite = context.getBean(Polite.class);
            Greeter<String> general = polite;
            general.greet("ann");
            assertThatThrownBy(() -> polite.greet("ann")).isInstanceOf(RateLimitedException.class);
            requireLimited("Polite.wave", general::wave);
            assertThat(context.getBean(RuleRegistry.class).engine().rules().rules())
                    .hasSize(2);
        });
    }

    @Test
    void theAnnotationOfTheClassReplacesThatOfTheInterface() {
        Contexts.of(Strict.class).run(context -> {
            Greeter<String> general = context.getBean(Strict.class);
            general.greet("ann");
            general.greet("ann");
            assertThatThrownBy(() -> general.greet("ann"))
                    .isInstanceOfSatisfying(
                            RateLimitedException.class,
                            e -> assertThat(e.decision().limit()).isEqualTo(2));
        });
    }

    @Test
    void proxiesOfInterfacesWorkToo() {
        Contexts.of(Strict.class, "spring.aop.proxy-target-class=false").run(context -> {
            Greeter<?> bean = context.getBean(Greeter.class);
            assertThat(Proxy.isProxyClass(bean.getClass())).isTrue();
            requireLimited("Strict.wave", bean::wave);
        });
    }

    abstract static class Base {
        @RateLimit("1 per 1m")
        public String list() {
            return "list";
        }
    }

    static class Books extends Base {}

    static class Films extends Base {}

    @Test
    void subclassesHaveLimitsOfTheirOwn() {
        Contexts.of(Books.class).withBean(Films.class).run(context -> {
            requireLimited("Books.list", context.getBean(Books.class)::list);
            requireLimited("Films.list", context.getBean(Films.class)::list);
        });
    }

    @RateLimit
    @Retention(RetentionPolicy.RUNTIME)
    @interface Expensive {
        @AliasFor(annotation = RateLimit.class)
        String[] value() default "1 per 1m";
    }

    static class Composed {
        @Expensive
        public void run() {}
    }

    @Test
    void anAnnotationOfYourOwnCanStandForIt() {
        Contexts.of(Composed.class)
                .run(context -> requireLimited("Composed.run", context.getBean(Composed.class)::run));
    }

    // ---- Scopes and constructors

    static class Counter {
        final String name;

        Counter(String name) {
            this.name = name;
        }

        @RateLimit("3 per 1m")
        public String count() {
            return inner() + name;
        }

        @RateLimit("1 per 1m")
        public String inner() {
            return "count of ";
        }
    }

    @Test
    void aPrototypeWithoutADefaultConstructorSharesItsLimitAndItsOwnCallsAreFree() {
        Contexts.of(Object.class)
                .withInitializer(context -> register(context, "counter", Counter.class, definition -> {
                    definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
                    definition.getConstructorArgumentValues().addGenericArgumentValue("ann");
                }))
                .run(context -> {
                    for (int i = 0; i < 3; i++) {
                        assertThat(context.getBean(Counter.class).count()).isEqualTo("count of ann");
                    }
                    assertThatThrownBy(() -> context.getBean(Counter.class).count())
                            .isInstanceOf(RateLimitedException.class);
                });
    }

    static class Scoped {
        @RateLimit("2 per 1m")
        public void run() {}
    }

    @Test
    void aScopedBeanBehindItsProxyIsChargedOnce() {
        Contexts.of(Object.class)
                .withInitializer(context -> {
                    GenericApplicationContext general = (GenericApplicationContext) context;
                    general.getBeanFactory().registerScope("thread", new SimpleThreadScope());
                    RootBeanDefinition definition = new RootBeanDefinition(Scoped.class);
                    definition.setScope("thread");
                    BeanDefinitionHolder proxy = ScopedProxyUtils.createScopedProxy(
                            new BeanDefinitionHolder(definition, "scoped"), general, true);
                    general.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
                })
                .run(context -> {
                    Scoped scoped = context.getBean("scoped", Scoped.class);
                    scoped.run();
                    scoped.run();
                    assertThatThrownBy(scoped::run).isInstanceOf(RateLimitedException.class);
                });
    }

    static class Broken {
        @RateLimit("5 pre 1m")
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"lazy", "prototype", "thread"})
    void aWrongAnnotationOnABeanThatIsCreatedLaterIsFoundAtStart(String how) {
        Contexts.of(Object.class)
                .withInitializer(context -> {
                    ((GenericApplicationContext) context)
                            .getBeanFactory()
                            .registerScope("thread", new SimpleThreadScope());
                    register(context, "broken", Broken.class, definition -> {
                        definition.setLazyInit(how.equals("lazy"));
                        definition.setScope(how.equals("lazy") ? BeanDefinition.SCOPE_SINGLETON : how);
                    });
                })
                .run(context -> assertThat(WrongAnnotationTest.cause(context.getStartupFailure()))
                        .isInstanceOf(RateLimitConfigurationException.class)
                        .hasMessageContaining("@RateLimit on Broken.run(): expected a limit"));
    }

    static class Many {
        public List<String> names() {
            return List.of();
        }
    }

    @Test
    void beansWithoutAnnotationsStayAsTheyAre() {
        Contexts.of(Many.class)
                .run(context ->
                        assertThat(context.getBean(Many.class).getClass()).isSameAs(Many.class));
    }
}
