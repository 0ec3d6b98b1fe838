package dev.sluice.bench.core;

import dev.sluice.bench.report.Programs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Programs in JVMs of their own that print figures as {@code name=value} lines. */
final class Forks {
    private static final int MAX_SECONDS = 600;

    private Forks() {}

    /** The figures that {@code main} prints when it is given {@code name}. */
    static Map<String, Long> figures(Class<?> main, String name) {
        String output = Programs.output(
                Programs.java(List.of("-Xmx6g", "-XX:+UseSerialGC"), main.getName(), name), MAX_SECONDS);
        Map<String, Long> measured = new LinkedHashMap<>();
        for (String line : output.lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0 && line.substring(equals + 1).matches("-?\\d+")) { // not a library's warning
                measured.put(line.substring(0, equals), Long.parseLong(line.substring(equals + 1)));
            }
        }
        return measured;
    }
}
