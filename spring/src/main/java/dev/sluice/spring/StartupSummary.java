package dev.sluice.spring;

import dev.sluice.Store;
import dev.sluice.redis.RedisStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Logs one line at start: where limits are counted, how many rules there are, where the filter is, and what is off. */
final class StartupSummary implements ApplicationListener<ContextRefreshedEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(StartupSummary.class);

    private final RuleRegistry registry;
    private final Store store;
    private final SluiceProperties properties;
    private final Environment environment;

    StartupSummary(RuleRegistry registry, Store store, SluiceProperties properties, Environment environment) {
        this.registry = registry;
        this.store = store;
        this.properties = properties;
        this.environment = environment;
    }

    /** A child context, such as that of the management port, has an environment of its own. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext().getEnvironment() == environment && LOG.isInfoEnabled()) {
            LOG.info("{}", line(event.getApplicationContext()));
        }
    }

    String line(BeanFactory beans) {
        if (!registry.isEnabled()) {
            return "Sluice is off (sluice.enabled: false): nothing is limited";
        }
        List<String> parts = new ArrayList<>();
        parts.add("store: " + (store instanceof RedisStore ? "Redis" : "memory"));
        parts.add("rules: " + rules());
        Map<String, Integer> filters = filters(beans);
        if (!filters.isEmpty()) {
            parts.add("filter: " + place(filters));
        }
        List<String> off = off(filters.isEmpty());
        if (!off.isEmpty()) {
            parts.add("off: " + String.join(", ", off));
        }
        return "Sluice: " + String.join("; ", parts);
    }

    private String rules() {
        int configured = registry.configured().rules().size();
        int made = registry.rules().size() - configured;
        int routes = (int) registry.rules().stream()
                .flatMap(rule -> registry.madeFrom(rule.name()).stream())
                .filter(where -> where.startsWith("route "))
                .count();
        return configured + count(made - routes, "annotations") + count(routes, "routes");
    }

    private static String count(int rules, String owners) {
        return rules == 0 ? "" : " and " + rules + " of " + owners;
    }

    private static String place(Map<String, Integer> filters) {
        List<String> places = new ArrayList<>();
        filters.forEach((name, order) ->
                places.add("order " + order + (name.contains("User") ? " for rules that need the user" : "")));
        return String.join(", ", places);
    }

    /** The orders of the filters, which other packages make. */
    private static Map<String, Integer> filters(BeanFactory beans) {
        Map<String, Integer> orders = new LinkedHashMap<>();
        for (String name : List.of("sluiceFilter", "sluiceWebFilter", "sluiceUserFilter", "sluiceUserWebFilter")) {
            if (beans.containsBean(name) && beans.getBean(name) instanceof Ordered filter) {
                orders.put(name, filter.getOrder());
            }
        }
        return orders;
    }

    private List<String> off(boolean unfiltered) {
        List<String> off = new ArrayList<>();
        if (unfiltered && !registry.configured().rules().isEmpty()) {
            off.add(
                    properties.filter().enabled()
                            ? "filter (no web application)"
                            : "filter (sluice.filter.enabled: false)");
        }
        if (!properties.reload().enabled()) {
            off.add("reload (sluice.reload.enabled: false)");
        }
        if (!environment.getProperty("management.health.sluice.enabled", Boolean.class, true)) {
            off.add("health (management.health.sluice.enabled: false)");
        }
        return off;
    }
}
