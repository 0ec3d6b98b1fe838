package dev.sluice.spring.web;

import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

/** The two kinds of web applications, each without Spring Security. */
enum Stack {
    SERVLET(WebApplicationType.SERVLET),
    WEBFLUX(WebApplicationType.REACTIVE);

    private final WebApplicationType type;

    Stack(WebApplicationType type) {
        this.type = type;
    }

    RunningApp start(List<Class<?>> classes, String... properties) {
        return RunningApp.start(type, classes, withoutSecurity(properties));
    }

    /** The same on another server than the usual one. Skips the test if the class path has no such server. */
    RunningApp startOn(WebServer server, List<Class<?>> classes, String... properties) {
        assumeThat(server.isPresent(type)).as("%s is there", server).isTrue();
        return RunningApp.start(server, type, classes, withoutSecurity(properties));
    }

    private static String[] withoutSecurity(String... properties) {
        List<String> all = new ArrayList<>(List.of("spring.autoconfigure.exclude=" + security()));
        all.addAll(Arrays.asList(properties));
        return inMemory(all);
    }

    /** The same with Spring Security, which {@code classes} configure. */
    RunningApp startWithSecurity(List<Class<?>> classes, String... properties) {
        return RunningApp.start(type, classes, inMemory(Arrays.asList(properties)));
    }

    private static String[] inMemory(List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        if (properties.stream().noneMatch(each -> each.startsWith("sluice.store="))) {
            all.add("sluice.store=memory");
        }
        return all.toArray(String[]::new);
    }

    private static String security() {
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, Stack.class.getClassLoader())
                                .spliterator(),
                        false)
                .filter(name -> name.contains(".security."))
                .collect(Collectors.joining(","));
    }
}
