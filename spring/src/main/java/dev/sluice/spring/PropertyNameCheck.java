package dev.sluice.spring;

import dev.sluice.spring.PropertyNames.Unknown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Keeps an application from starting that has a property below {@code sluice.} which nobody knows: Spring Boot would ignore
 * it, and with it perhaps all limits.
 *
 * <p>Known is what {@link PropertyNames} says, and what other classes bind: a module or an application that has a
 * {@code @ConfigurationProperties("sluice.shop")} may use every name below that. The environment and the system properties
 * belong to the whole process, so that a name there may mean something else, such as {@code SLUICE_HOME}: they are logged.
 */
final class PropertyNameCheck implements BeanFactoryPostProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(PropertyNameCheck.class);

    private final Environment environment;
    private final PropertyNames names = new PropertyNames();

    PropertyNameCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        Map<String, String> problems = new LinkedHashMap<>();
        Map<String, String> warnings = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource listed) {
                boolean isOfProcess = isOfProcess(source);
                listed.stream().filter(PropertyNames.ROOT::isAncestorOf).forEach(name -> {
                    if (isOfProcess) {
                        warn(name, listed, warnings);
                    } else {
                        check(name, listed, problems);
                    }
                });
            }
        }
        if (!problems.isEmpty() || !warnings.isEmpty()) {
            List<String> bound = bound(beans);
            problems.keySet().removeIf(name -> isBelow(name, bound));
            warnings.keySet().removeIf(name -> isBelow(name, bound));
        }
        if (!warnings.isEmpty()) {
            LOG.warn(
                    "Sluice ignores variables and system properties that it does not know: {}",
                    String.join("; ", warnings.values()));
        }
        if (!problems.isEmpty()) {
            throw new RateLimitConfigurationException(new ArrayList<>(problems.values()));
        }
    }

    private static boolean isOfProcess(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                || (source.getUnderlyingSource() instanceof PropertySource<?> named
                        && named.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
    }

    private void check(
            ConfigurationPropertyName name, IterableConfigurationPropertySource source, Map<String, String> problems) {
        Unknown unknown = names.unknown(name);
        if (unknown == null) {
            return;
        }
        ConfigurationProperty property = source.getConfigurationProperty(name);
        Origin origin = property == null ? null : property.getOrigin();
        problems.putIfAbsent(unknown.name(), unknown.message() + (origin == null ? "" : " (" + origin + ")"));
    }

    private void warn(
            ConfigurationPropertyName name, ConfigurationPropertySource source, Map<String, String> warnings) {
        Unknown unknown = names.unknown(name);
        if (unknown != null && !isVariableOfKnown(name, source)) {
            warnings.putIfAbsent(unknown.name(), unknown.name() + unknown.hint().replace(";", ","));
        }
    }

    /** Whether it is a variable such as {@code SLUICE_TRUSTED_PROXIES}, which has lost its dashes and dots. */
    private boolean isVariableOfKnown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        if (!(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
            return false;
        }
        String bare = bare(name.toString());
        return names.all().stream().anyMatch(known -> bare.startsWith(bare(known)));
    }

    private static String bare(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** The prefixes below {@code sluice.} that other classes bind. Asks for types alone, so that no bean is made. */
    private static List<String> bound(ConfigurableListableBeanFactory beans) {
        List<String> prefixes = new ArrayList<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            ConfigurationProperties bound = annotation(beans, bean);
            String prefix = bound == null ? "" : bound.prefix();
            if (prefix.startsWith(PropertyNames.ROOT + ".")) {
                prefixes.add(prefix);
            }
        }
        return prefixes;
    }

    private static @Nullable ConfigurationProperties annotation(ConfigurableListableBeanFactory beans, String bean) {
        return beans.getBeanDefinition(bean).isAbstract()
                ? null
                : beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
    }

    private static boolean isBelow(String name, List<String> prefixes) {
        return prefixes.stream().anyMatch(prefix -> name.equals(prefix) || name.startsWith(prefix + "."));
    }
}
