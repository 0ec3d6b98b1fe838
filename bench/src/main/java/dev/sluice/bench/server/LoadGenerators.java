package dev.sluice.bench.server;

import dev.sluice.bench.report.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Load from wrk and from h2load. Wrk sends, on each connection, the next request as soon as the last is answered; h2load
 * does the same over HTTP/2 or HTTP/1.1, or sends at a fixed rate.
 */
final class LoadGenerators {
    /** The connections of h2load, as a few Envoys would have. */
    static final int H2_CONNECTIONS = 4;

    private static final Pattern WRK_DONE = Pattern.compile("(\\d+) requests in ([\\d.]+)s");
    private static final Pattern WRK_FAILED = Pattern.compile("(Non-2xx or 3xx responses|Socket errors): .*");
    private static final Pattern H2_TIME = Pattern.compile("finished in ([\\d.]+)(ms|s)");
    private static final Pattern H2_DONE =
            Pattern.compile("(\\d+) succeeded, (\\d+) failed, (\\d+) errored, (\\d+) timeout");

    private LoadGenerators() {}

    /** Requests that were answered, all of them with success, and the seconds they took together. */
    record Burst(long requests, double seconds) {
        double perSecond() {
            return requests / seconds;
        }
    }

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

    /** @param request further options, the URL, and the arguments of a script */
    static Burst wrk(int connections, int seconds, List<String> request) {
        List<String> words = new ArrayList<>(
                List.of(Tools.WRK.path(), "-t1", "-c" + connections, "-d" + seconds, "--timeout", "20s"));
        words.addAll(request);
        return parseWrk(Programs.output(words, seconds));
    }

    static Burst h2load(List<String> request, int streams, int seconds) {
        return parseH2load(Programs.output(h2Words(request, seconds, List.of("-m" + streams)), seconds));
    }

    static Delays h2loadPaced(List<String> request, int perSecond, int seconds) {
        try {
            Path log = Files.createTempFile("sluice-h2load", ".log");
            try {
                String rate = "--rps=" + perSecond / H2_CONNECTIONS;
                parseH2load(Programs.output(h2Words(request, seconds, List.of(rate, "--log-file=" + log)), seconds));
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

    static Burst parseWrk(String output) {
        Matcher failed = WRK_FAILED.matcher(output);
        if (failed.find()) {
            throw new IllegalStateException("wrk saw failures. " + failed.group());
        }
        Matcher done = find(WRK_DONE, output);
        return new Burst(Long.parseLong(done.group(1)), Double.parseDouble(done.group(2)));
    }

    static Burst parseH2load(String output) {
        Matcher time = find(H2_TIME, output);
        Matcher done = find(H2_DONE, output);
        for (int i = 2; i <= 4; i++) {
            if (!done.group(i).equals("0")) {
                throw new IllegalStateException("h2load saw failures: " + done.group());
            }
        }
        double seconds = Double.parseDouble(time.group(1)) / (time.group(2).equals("ms") ? 1000 : 1);
        return new Burst(Long.parseLong(done.group(1)), seconds);
    }

    /** The first match. */
    static Matcher find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in: " + text);
        }
        return matcher;
    }

    private static List<String> h2Words(List<String> request, int seconds, List<String> options) {
        List<String> words =
                new ArrayList<>(List.of(Tools.H2LOAD.path(), "-t1", "-c" + H2_CONNECTIONS, "-D" + seconds));
        words.addAll(options);
        words.addAll(request);
        return words;
    }
}
