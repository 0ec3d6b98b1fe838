package dev.sluice.bench.spring;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Markdown;
import dev.sluice.bench.report.Options;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of the starter, as tables and as a page. */
final class SpringReport {
    private SpringReport() {}

    /** The tables and the verdicts. */
    static String tables(Figures figures) {
        Markdown text = new Markdown();
        for (Kind kind : Kind.values()) {
            List<List<String>> rows = new ArrayList<>();
            for (Row row : kind.rows()) {
                figures.cost(kind, row).ifPresent(cost -> rows.add(line(row, cost, figures.overhead(kind, row))));
            }
            if (!rows.isEmpty()) {
                text.table(kind.title, List.of("limiter", "ns", "min-max", "over none", "bytes"), rows);
            }
        }
        text.targets(SpringTargets.of(figures));
        return text.toString();
    }

    private static List<String> line(Row row, Jmh.Cost cost, Optional<Double> overhead) {
        return List.of(
                row.label,
                "%,.0f".formatted(cost.nanos().median()),
                "%,.0f-%,.0f".formatted(cost.nanos().min(), cost.nanos().max()),
                overhead.map("%,.0f"::formatted).orElse(""),
                "%,.0f".formatted(cost.bytes()));
    }

    /** The whole page. */
    static String page(Figures figures, Options options, List<String> machine, LocalDate date) {
        Jmh.Effort effort = SpringBench.effort(options);
        return """
                # Benchmarks of the Spring Boot starter

                What a limiter adds to a request and to a call, beside Bucket4j's starter and Resilience4j's annotation in one run. Written by the command below: do not edit.

                - Date: %s
                - Command: `%s`
                - %s
                - Method: JMH, average time, one thread. %d rounds, each a new JVM for every row, %d x %d ms after %d x %d ms of warm-up, every other round backwards; the median and the range of all.
                - The application: Spring Boot on servlets, one controller that returns a word. Each row has the auto-configuration of one limiter; "no limiter" of none.
                - A request goes through all filters of the application and the DispatcherServlet, without a network, from one address: Spring's mocks stand for the server. A filter has one rule, for this path and by the address of the client. Both filters tell the client how much is left.
                - An annotation is on the controller's method, without a key. A call is of the same method, on the bean. Resilience4j has no filter.
                - Counting is in memory: token buckets in Sluice and Bucket4j (JCache by Caffeine), cycles in Resilience4j. Every call is let through; refusals are of a limit of one.

                %s""".formatted(
                        date,
                        options.command(),
                        String.join("\n- ", machine),
                        effort.rounds(),
                        effort.iterations(),
                        effort.iterationMillis(),
                        effort.warmups(),
                        effort.warmupMillis(),
                        tables(figures));
    }

    /** What the figures were measured on, as lines of a list. */
    static List<String> machine() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put(
                "Sluice", Machine.version(dev.sluice.spring.RateLimit.class, "dev.sluice/sluice-spring-boot-starter"));
        versions.put("Spring Boot", org.springframework.boot.SpringBootVersion.getVersion());
        versions.put(
                "Bucket4j's starter",
                Machine.version(
                        com.giffing.bucket4j.spring.boot.starter.context.RateLimiting.class,
                        "com.giffing.bucket4j.spring.boot.starter/bucket4j-spring-boot-starter-context"));
        versions.put(
                "Resilience4j",
                Machine.version(
                        io.github.resilience4j.ratelimiter.RateLimiter.class,
                        "io.github.resilience4j/resilience4j-ratelimiter"));
        versions.put("JMH", Machine.version(org.openjdk.jmh.runner.Runner.class, "org.openjdk.jmh/jmh-core"));
        return Machine.describe(versions);
    }
}
