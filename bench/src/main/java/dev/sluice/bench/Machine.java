package dev.sluice.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/** What the figures were measured on, and what of. */
public final class Machine {
    private Machine() {}

    static String cpu() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch"); // not Linux
        }
    }

    static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    static String jdk() {
        return System.getProperty("java.vm.name") + " " + Runtime.version();
    }

    static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
    }

    /** The version of every library that takes part in {@code bench core}, as its own jar has it. */
    static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Sluice", version(dev.sluice.Limiter.class, "dev.sluice/sluice-core"));
        versions.put("Guava", version(com.google.common.util.concurrent.RateLimiter.class, "com.google.guava/guava"));
        versions.put("Bucket4j", version(io.github.bucket4j.Bucket.class, "com.bucket4j/bucket4j_jdk17-core"));
        versions.put(
                "Resilience4j",
                version(
                        io.github.resilience4j.ratelimiter.RateLimiter.class,
                        "io.github.resilience4j/resilience4j-ratelimiter"));
        versions.put("Failsafe", version(dev.failsafe.RateLimiter.class, "dev.failsafe/failsafe"));
        versions.put("Sentinel", version(com.alibaba.csp.sentinel.SphU.class, "com.alibaba.csp/sentinel-core"));
        versions.put("JMH", version(org.openjdk.jmh.runner.Runner.class, "org.openjdk.jmh/jmh-core"));
        return versions;
    }

    /** From Maven's own note in the jar, else from the manifest. */
    public static String version(Class<?> type, String artifact) {
        String note = "/META-INF/maven/" + artifact + "/pom.properties";
        try (InputStream in = type.getResourceAsStream(note)) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                return properties.getProperty("version");
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot read " + note, e);
        }
        String manifest = type.getPackage().getImplementationVersion();
        return manifest == null ? "of this build" : manifest;
    }

    /** As lines of a list. */
    public static List<String> describe(Map<String, String> versions) {
        return List.of(
                "Machine: " + cpu() + ", " + cores() + (cores() == 1 ? " core, " : " cores, ") + system(),
                "JVM: " + jdk(),
                "Versions: "
                        + versions.entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .collect(java.util.stream.Collectors.joining(", ")));
    }
}
