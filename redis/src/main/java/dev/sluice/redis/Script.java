package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What Redis is asked to run: its text, and the digest by which Redis knows it once it has seen it.
 *
 * <p>The file of an algorithm is cut into parts by lines such as {@code --@look}. A main file says where the parts go, once
 * for each limit, and names that end in {@code _} are each limit's own. Why the parts are pasted and not called: a script
 * starts from nothing every time, so that each function it defines is made anew for every decision; for a limit or two
 * the functions cost more than what they do.
 */
record Script(String text, String sha) {
    /** The most limits of one limiter: Lua has room for 200 names. */
    static final int MOST_LIMITS = 8;

    private static final Pattern OWN_NAME = Pattern.compile("\\b([a-zA-Z]+)_\\b");
    private static final int FIRST_ARGUMENT = 4;

    /** The script named {@code main}, by the clock whose text is {@code clock}, for limits of these algorithms. */
    static Script of(String main, String clock, List<String> algorithms) {
        if (algorithms.size() > MOST_LIMITS) {
            throw new IllegalArgumentException(
                    "a limiter on Redis has at most " + MOST_LIMITS + " limits, was given " + algorithms.size());
        }
        StringBuilder text = new StringBuilder(file("numbers")).append(clock);
        for (String algorithm : new TreeSet<>(algorithms)) {
            text.append(part(algorithm, "helpers"));
        }
        text.append(expanded(file(main), algorithms));
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

    private static String expanded(String main, List<String> algorithms) {
        StringBuilder text = new StringBuilder();
        List<String> each = new ArrayList<>();
        boolean inside = false;
        for (String line : main.lines().toList()) {
            if (line.strip().equals("--@each")) {
                inside = true;
            } else if (line.strip().equals("--@end")) {
                int argument = FIRST_ARGUMENT;
                for (int i = 0; i < algorithms.size(); i++) {
                    text.append(repeated(each, algorithms.get(i), i + 1, argument));
                    argument += 2 + numbers(algorithms.get(i)).size();
                }
                each.clear();
                inside = false;
            } else if (inside) {
                each.add(line);
            } else {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    private static String repeated(List<String> lines, String algorithm, int number, int argument) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            String part = line.strip();
            if (part.equals("--@look")) {
                text.append(readNumbers(numbers(algorithm), argument + 2));
            }
            text.append(part.startsWith("--@") ? part(algorithm, part.substring(3)) : line + "\n");
        }
        String numbered = text.toString()
                .replace("capacity_at", Integer.toString(argument))
                .replace("reserve_at", Integer.toString(argument + 1))
                .replaceAll("\\bi_\\b", Integer.toString(number));
        return OWN_NAME.matcher(numbered).replaceAll("$1_" + number);
    }

    private static String readNumbers(List<String> names, int argument) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < names.size(); i++) {
            text.append("local %s = ARGV[%d] + 0\n".formatted(names.get(i), argument + i));
        }
        return text.toString();
    }

    /** How many numbers a script is told of a limit of this algorithm, after its capacity and its reserve. */
    static List<String> numbers(String algorithm) {
        return file(algorithm)
                .lines()
                .filter(line -> line.startsWith("--@numbers "))
                .flatMap(line -> List.of(line.substring("--@numbers ".length()).split(" ", -1)).stream())
                .toList();
    }

    /** One part of an algorithm's file; nothing, if it has none of that name. */
    private static String part(String algorithm, String name) {
        Map<String, StringBuilder> parts = new LinkedHashMap<>();
        StringBuilder current = new StringBuilder();
        for (String line : file(algorithm).lines().toList()) {
            if (line.startsWith("--@")) {
                current = parts.computeIfAbsent(line.substring(3), unused -> new StringBuilder());
            } else {
                current.append(line).append('\n');
            }
        }
        return parts.getOrDefault(name, new StringBuilder()).toString();
    }

    private static String sha(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
