package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;

/** Stands for the class of Spring Cloud, whose auto-configurations would change every other test. */
public final class EnvironmentChangeEvent extends ApplicationEvent {
    private static final long serialVersionUID = 1;

    private final transient Set<String> keys;

    public EnvironmentChangeEvent(ApplicationContext context, Set<String> keys) {
        super(context);
        this.keys = keys;
    }

    public Set<String> getKeys() {
        return keys;
    }
}
