package dev.sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Load from h2load, over HTTP/2 or HTTP/1.1, as fast as there are answers or at a fixed rate. */
final class H2load {
    /** As a few Envoys would have it. */
    static final int CONNECTIONS = 4;

    private static final Pattern TIME = Pattern.compile("finished in ([\\d.]+)(ms|s)");
    private static final Pattern DONE =
            Pattern.compile("(\\d+) succeeded, (\\d+) failed, (\\d+) errored, (\\d+) timeout");

    private H2load() {}

    /** How long requests took that came at a fixed rate, in microseconds. */
    record Delays(double median, double p99) {
        static Delays of(List<Long> micros) {
            List<Long> sorted = micros.stream().sorted().toList();
            return new Delays(at(sorted, 0.5), at(sorted, 0.99));
        }

        private static double at(List<Long> sorted, double share) {
            return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(sorted.size() * share)));
        }
    }

    static Burst run(List<String> request, int streams, int seconds) {
        return parse(Commands.output(words(request, seconds, List.of("-m" + streams)), seconds));
    }

    static Delays paced(List<String> request, int perSecond, int seconds) {
        try {
            Path log = Files.createTempFile("sluice-h2load", ".log");
            try {
                String rate = "--rps=" + perSecond / CONNECTIONS;
                parse(Commands.output(words(request, seconds, List.of(rate, "--log-file=" + log)), seconds));
                return Delays.of(Files.readAllLines(log).stream()
                        .map(line -> Long.parseLong(line.split("\t", -1)[2].strip()))
                        .toList());
            } finally {
                Files.delete(log);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Burst parse(String said) {
        Matcher time = Commands.find(TIME, said);
        Matcher done = Commands.find(DONE, said);
        for (int i = 2; i <= 4; i++) {
            if (!done.group(i).equals("0")) {
                throw new IllegalStateException("h2load saw failures: " + done.group());
            }
        }
        double seconds = Double.parseDouble(time.group(1)) / (time.group(2).equals("ms") ? 1000 : 1);
        return new Burst(Long.parseLong(done.group(1)), seconds);
    }

    private static List<String> words(List<String> request, int seconds, List<String> more) {
        List<String> words = new ArrayList<>(List.of(Tools.H2LOAD.path(), "-t1", "-c" + CONNECTIONS, "-D" + seconds));
        words.addAll(more);
        words.addAll(request);
        return words;
    }
}
