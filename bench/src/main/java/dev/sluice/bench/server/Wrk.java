package dev.sluice.bench.server;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Load over HTTP/1.1 from wrk: on each connection, the next request as soon as the last is answered. */
final class Wrk {
    private static final Pattern DONE = Pattern.compile("(\\d+) requests in ([\\d.]+)s");
    private static final Pattern FAILED = Pattern.compile("(Non-2xx or 3xx responses|Socket errors): .*");

    private Wrk() {}

    /** @param more further options and what follows the URL, such as a script and its arguments */
    static Burst run(String url, int connections, int seconds, List<String> more, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of(Tools.WRK.path(), "-t1", "-c" + connections, "-d" + seconds));
        words.addAll(List.of("--timeout", "20s"));
        words.addAll(more);
        words.add(url);
        if (!arguments.isEmpty()) {
            words.add("--");
            words.addAll(arguments);
        }
        return parse(Commands.output(words, seconds));
    }

    static Burst parse(String said) {
        var failed = FAILED.matcher(said);
        if (failed.find()) {
            throw new IllegalStateException("wrk saw failures. " + failed.group());
        }
        var done = Commands.find(DONE, said);
        return new Burst(Long.parseLong(done.group(1)), Double.parseDouble(done.group(2)));
    }
}
