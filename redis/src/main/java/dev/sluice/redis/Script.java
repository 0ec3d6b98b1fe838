package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.TreeSet;

/** What Redis is asked to run: its text, and the digest by which Redis knows it once it has seen it. */
record Script(String text, String sha) {
    /** The script named {@code main}, by the clock in {@code clock}, for limits of these algorithms. */
    static Script of(String main, String clock, Collection<String> algorithms) {
        StringBuilder text = new StringBuilder(file("numbers")).append(clock).append("local algorithms = {}\n");
        for (String algorithm : new TreeSet<>(algorithms)) {
            text.append(file(algorithm))
                    .append("algorithms['%s'] = %s\n".formatted(algorithm, functionName(algorithm)));
        }
        text.append(file(main));
        return new Script(text.toString(), sha(text.toString()));
    }

    /** The text of a script file. */
    static String file(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + ".lua is missing from the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the script " + name + ".lua cannot be read", e);
        }
    }

    /** sliding-log.lua defines slidingLog, and so on. */
    private static String functionName(String algorithm) {
        StringBuilder name = new StringBuilder();
        for (String word : algorithm.split("-", -1)) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }

    private static String sha(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
