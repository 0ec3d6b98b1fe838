package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A real curl. */
final class Curl {
    private Curl() {}

    /** What it printed with {@code -i}: the head, and the body. */
    record Answer(int status, List<String> head, String body) {
        /** The value of a header field; empty if there is none. */
        String field(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ": ";
            return head.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .findFirst()
                    .orElse("");
        }
    }

    static Answer get(String url, String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("curl", "-si", "--max-time", "60"));
        words.addAll(Arrays.asList(options));
        words.add(url);
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        int end = said.indexOf("\r\n\r\n");
        if (process.waitFor() != 0 || end < 0) {
            throw new AssertionError("curl ended with " + process.exitValue() + ": " + said);
        }
        List<String> head = said.substring(0, end).lines().toList();
        int status = Integer.parseInt(head.get(0).split(" ", 3)[1]);
        return new Answer(status, head, said.substring(end + 4));
    }
}
