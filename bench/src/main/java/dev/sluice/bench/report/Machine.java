package dev.sluice.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The machine that the figures were measured on, and the versions of what was measured. */
public final class Machine {
    private Machine() {}

    private static String cpu() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch"); // not Linux
        }
    }

    /** The version of a class's jar: from Maven's file in it, or else from its manifest. */
    public static String version(Class<?> type, String artifact) {
        String note = "/META-INF/maven/" + artifact + "/pom.properties";
        try (InputStream in = type.getResourceAsStream(note)) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                return properties.getProperty("version");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + note, e);
        }
        String manifest = type.getPackage().getImplementationVersion();
        return manifest == null ? "of this build" : manifest;
    }

    /** The lines of the report about the machine, the JVM and versions. */
    static List<String> describe(Map<String, String> versions) {
        int cores = Runtime.getRuntime().availableProcessors();
        String system = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        return List.of(
                "Machine: " + cpu() + ", " + cores + (cores == 1 ? " core, " : " cores, ") + system,
                "JVM: " + System.getProperty("java.vm.name") + " " + Runtime.version(),
                "Versions: "
                        + versions.entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .collect(Collectors.joining(", ")));
    }
}
