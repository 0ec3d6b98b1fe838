package dev.sluice.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
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
