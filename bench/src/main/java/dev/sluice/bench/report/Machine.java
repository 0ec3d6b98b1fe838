package dev.sluice.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The machine that the figures were measured on, and the versions of what was measured. */
public final class Machine {
    private static final Pattern JAR = Pattern.compile("-(\\d[^/]*)\\.jar$");

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

    /** The version of the jar that a class comes from, by the name of the jar. */
    public static String version(Class<?> type) {
        Matcher jar = JAR.matcher(
                type.getProtectionDomain().getCodeSource().getLocation().getPath());
        return jar.find() ? jar.group(1) : "of this build";
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
