package dev.sluice.bench.core;

import dev.sluice.bench.report.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Runs each {@link MemoryProbe} in a JVM of its own, so that none sees what another left behind. */
final class Memory {
    private Memory() {}

    static List<MemoryProbe> probes(Pattern only) {
        return Arrays.stream(MemoryProbe.values())
                .filter(probe -> only.matcher(probe.toString()).find())
                .toList();
    }

    static void run(List<MemoryProbe> probes, Progress progress, Results results) {
        for (MemoryProbe probe : probes) {
            progress.step(probe.toString(), () -> {
                Map<String, Long> figures = fork(probe);
                results.add(probe, figures);
                return figures.toString();
            });
        }
    }

    private static Map<String, Long> fork(MemoryProbe probe) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = new ProcessBuilder(
                java,
                "-Xmx6g",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                MemoryProbe.class.getName(),
                probe.name());
        try {
            Process process = builder.redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IllegalStateException(probe + " failed with exit code " + exit + ":\n" + output);
            }
            return figures(output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + java, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring " + probe, e);
        }
    }

    /** Other lines (a library's warnings) are skipped. */
    private static Map<String, Long> figures(String output) {
        Map<String, Long> figures = new LinkedHashMap<>();
        for (String line : output.lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0 && line.substring(equals + 1).matches("-?\\d+")) {
                figures.put(line.substring(0, equals), Long.parseLong(line.substring(equals + 1)));
            }
        }
        return figures;
    }
}
