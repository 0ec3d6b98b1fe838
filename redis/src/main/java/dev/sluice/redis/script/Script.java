package dev.sluice.redis.script;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A script: its text, and the digest by which Redis knows it once it has run.
 *
 * <p>The files of algorithms and clocks are divided into parts by lines such as {@code --@read}. A main file says where
 * the parts go, once for each limit, and names that end in {@code _} are separate for each limit. Why the parts are pasted
 * and not called: every run of a script defines its functions anew. With one or two limits that costs more than the
 * decision.
 */
public record Script(String text, String sha) {
    /** The most limits of one script: Lua allows 200 local names. */
    public static final int MAX_LIMITS = 8;

    private static final Pattern OWN_NAME = Pattern.compile("\\b([a-zA-Z]+)_\\b");
    private static final String MARK = "--@";
    private static final String TOP = "";

    private record Recipe(String main, String clock, List<String> algorithms) {}

    /** Scripts by their parts; there are few, because the numbers of the limits are arguments. */
    private static final ConcurrentHashMap<Recipe, Script> KNOWN = new ConcurrentHashMap<>();

    /** The script {@code main} for limits of these algorithms; {@code clock} is the text that reads the time. */
    static Script of(String main, String clock, List<String> algorithms) {
        if (algorithms.size() > MAX_LIMITS) {
            throw new IllegalArgumentException(
                    "a limiter on Redis has at most " + MAX_LIMITS + " limits, was given " + algorithms.size());
        }
        return KNOWN.computeIfAbsent(new Recipe(main, clock, algorithms), Script::assembled);
    }

    /** A script that is one file, and is run as it is. */
    public static Script standAlone(String name) {
        String text = file(name);
        return new Script(text, sha(text));
    }

    private static Script assembled(Recipe recipe) {
        List<String> algorithms = recipe.algorithms;
        Map<String, String> clockParts = parts(recipe.clock);
        StringBuilder text = new StringBuilder(file("numbers")).append(part(clockParts, TOP));
        for (String algorithm : new TreeSet<>(algorithms)) {
            text.append(part(parts(file(algorithm)), "helpers"));
        }
        text.append(expanded(file(recipe.main), algorithms, clockParts));
        return new Script(text.toString(), sha(text.toString()));
    }

    /** The text of a script file. */
    public static String file(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + ".lua is missing from the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the script " + name + ".lua cannot be read", e);
        }
    }

    private static String expanded(String main, List<String> algorithms, Map<String, String> clock) {
        StringBuilder text = new StringBuilder();
        List<String> each = new ArrayList<>();
        boolean inside = false;
        for (String line : main.lines().toList()) {
            String words = line.strip();
            if (words.equals("--@each")) {
                inside = true;
            } else if (words.equals("--@end")) {
                for (int i = 0; i < algorithms.size(); i++) {
                    text.append(own(pasted(each, parts(file(algorithms.get(i))), clock), i + 1));
                }
                each.clear();
                inside = false;
            } else if (inside) {
                each.add(line);
            } else if (words.startsWith("--@arguments ")) {
                text.append(arguments(words.substring("--@arguments ".length()), algorithms));
            } else if (words.startsWith("--@reply ")) {
                text.append(reply(words.substring("--@reply ".length()), algorithms.size()));
            } else {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    /** The lines, with the marks replaced by the parts of the algorithm or the clock. */
    private static String pasted(List<String> lines, Map<String, String> algorithm, Map<String, String> clock) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            String words = line.strip();
            if (words.startsWith(MARK)) {
                String name = words.substring(MARK.length());
                String part = part(algorithm.containsKey(name) ? algorithm : clock, name);
                text.append(pasted(part.lines().toList(), algorithm, clock));
            } else {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    /** Appends the number of the limit to the names that end in {@code _}. */
    private static String own(String text, int number) {
        String numbered = text.replaceAll("\\bi_\\b", Integer.toString(number));
        return OWN_NAME.matcher(numbered).replaceAll("$1_" + number);
    }

    /**
     * The line that unpacks all arguments: the first ones, then for each limit its room and its algorithm's numbers, then
     * those after the dots.
     */
    private static String arguments(String line, List<String> algorithms) {
        String[] ends = line.split(" \\.\\.\\. ", -1);
        List<String> names = new ArrayList<>(List.of(ends[0].split(" ", -1)));
        for (int i = 0; i < algorithms.size(); i++) {
            names.add("room_" + (i + 1));
            for (String name : numbers(algorithms.get(i))) {
                names.add(name + (i + 1));
            }
        }
        for (String name : ends.length == 1 ? new String[0] : ends[1].split(" ", -1)) {
            for (int i = 1; i <= (name.endsWith("_") ? algorithms.size() : 1); i++) {
                names.add(name.endsWith("_") ? name + i : name);
            }
        }
        return "local %s = unpack('>%s', ARGV[1])%n"
                .formatted(String.join(", ", names), "d".repeat(names.size()))
                .replace("\r", "");
    }

    private static String reply(String outcome, int limits) {
        List<String> names = new ArrayList<>(List.of(outcome, "now", "latest", "departsAt"));
        for (int i = 1; i <= limits; i++) {
            names.addAll(List.of("used_" + i, "freshAt_" + i, "readyAt_" + i, "mark_" + i));
        }
        return "return pack('>B" + "d".repeat(names.size() - 1) + "', " + String.join(", ", names) + ")\n";
    }

    private static List<String> numbers(String algorithm) {
        return file(algorithm)
                .lines()
                .filter(line -> line.startsWith("--@numbers "))
                .flatMap(line -> List.of(line.substring("--@numbers ".length()).split(" ", -1)).stream())
                .toList();
    }

    /** The parts of a file by name; the lines before the first part have an empty name. */
    private static Map<String, String> parts(String file) {
        Map<String, StringBuilder> parts = new LinkedHashMap<>();
        StringBuilder current = parts.computeIfAbsent(TOP, unused -> new StringBuilder());
        boolean blank = true;
        for (String line : file.lines().toList()) {
            // A mark after a blank line begins a part; a mark among lines of code is to be replaced by another part.
            if (line.startsWith(MARK) && blank) {
                current = parts.computeIfAbsent(line.substring(MARK.length()), unused -> new StringBuilder());
            } else {
                current.append(line).append('\n');
            }
            blank = line.isBlank();
        }
        Map<String, String> texts = new LinkedHashMap<>();
        parts.forEach((name, text) -> texts.put(name, text.toString()));
        return texts;
    }

    /** A part, empty if the file has none of that name. */
    private static String part(Map<String, String> parts, String name) {
        return parts.getOrDefault(name, "");
    }

    private static String sha(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
