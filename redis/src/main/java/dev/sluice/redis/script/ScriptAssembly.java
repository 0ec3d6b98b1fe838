package dev.sluice.redis.script;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts a script together from its files.
 *
 * <p>The files of algorithms and clocks are divided into parts by lines such as {@code --@read}. A main file says where
 * the parts go, once for each limit, and names that end in {@code _} are separate for each limit. Why the parts are pasted
 * and not called: every run of a script defines its functions anew. With one or two limits that costs more than the
 * decision.
 *
 * <p>A main file may have lines between {@code --@several} and {@code --@done}, for a script that decides several requests,
 * and between {@code --@alone} and {@code --@done}, for one that decides one.
 */
final class ScriptAssembly {
    private static final Pattern OWN_NAME = Pattern.compile("\\b([a-zA-Z]+)_\\b");
    private static final Pattern COMMENT = Pattern.compile("--.*");
    private static final Pattern PREAMBLE = Pattern.compile("local (\\w+) = .*");
    private static final String MARK = "--@";
    private static final String TOP = "";

    private final List<Script.Part> limits;
    private final boolean alone;
    /** The parts that do not depend on the algorithm. */
    private final Map<String, String> common;

    ScriptAssembly(String clock, List<Script.Part> limits, boolean alone) {
        this.limits = limits;
        this.alone = alone;
        this.common = new HashMap<>(parts(Script.file("state")));
        common.putAll(parts(clock));
    }

    /** The text of the main file with all parts in their places. */
    String assemble(String main) {
        StringBuilder text = new StringBuilder(common.getOrDefault(TOP, ""));
        for (String algorithm : new TreeSet<>(algorithms())) {
            text.append(parts(Script.file(algorithm)).getOrDefault("helpers", ""));
        }
        text.append(expanded(chosen(main)));
        return preamble(text.toString()) + text;
    }

    private List<String> algorithms() {
        return limits.stream().map(Script.Part::algorithm).toList();
    }

    /** The names of numbers.lua that the text uses. */
    private static String preamble(String text) {
        String code = COMMENT.matcher(text).replaceAll("");
        StringBuilder used = new StringBuilder();
        for (String line : Script.file("numbers").lines().toList()) {
            Matcher name = PREAMBLE.matcher(line);
            if (!name.matches()
                    || Pattern.compile("(?<![.\\w])" + name.group(1) + "\\b")
                            .matcher(code)
                            .find()) {
                used.append(line).append('\n');
            }
        }
        return used.toString();
    }

    /** The lines for one request, or those for several. */
    private List<String> chosen(String main) {
        List<String> chosen = new ArrayList<>();
        boolean leftOut = false;
        for (String line : main.lines().toList()) {
            switch (line.strip()) {
                case MARK + "several" -> leftOut = alone;
                case MARK + "alone" -> leftOut = !alone;
                case MARK + "done" -> leftOut = false;
                default -> {
                    if (!leftOut) {
                        chosen.add(line);
                    }
                }
            }
        }
        return chosen;
    }

    private String expanded(List<String> main) {
        StringBuilder text = new StringBuilder();
        List<String> each = new ArrayList<>();
        boolean inside = false;
        for (String line : main) {
            String words = line.strip();
            String indent = line.substring(0, line.indexOf(words));
            String[] mark =
                    words.startsWith(MARK) ? words.substring(MARK.length()).split(" ", 2) : new String[] {TOP};
            String names = mark.length > 1 ? mark[1] : "";
            if (mark[0].equals("each")) {
                inside = true;
            } else if (mark[0].equals("end")) {
                forEachLimit(each, text);
                each.clear();
                inside = false;
            } else if (inside) {
                each.add(line);
            } else if (mark[0].equals(TOP)) {
                text.append(line).append('\n');
            } else {
                text.append(generated(mark[0], names, indent));
            }
        }
        return text.toString();
    }

    /** What stands for a mark outside of {@code @each}. */
    private String generated(String mark, String names, String indent) {
        return switch (mark) {
            case "groups" -> alone ? "do\n  local k = 0\n" : "for k = 0, #KEYS - 1, " + keys(limits.size()) + " do\n";
            case "first" -> first(indent);
            case "next" -> indent + unpacked(requestNames());
            case "record" -> record(indent);
            case "arguments" -> arguments(names, indent);
            default -> throw new IllegalStateException("no part of a script: " + mark);
        };
    }

    /** Declares and reads the names of a group, the numbers of its limits, and those of its first request. */
    private String first(String indent) {
        List<String> all = new ArrayList<>(alone ? List.of("taking") : List.of("taking", "runs"));
        all.addAll(numbers());
        all.addAll(requestNames());
        String names = String.join(", ", all);
        return alone
                ? indent + "local " + names + " = unpack('<" + "d".repeat(all.size()) + "', ARGV[1])\n"
                : indent + "local " + names + "\n" + indent + unpacked(all);
    }

    private static String unpacked(List<String> names) {
        return String.join(", ", names) + ", at = unpack('<" + "d".repeat(names.size()) + "', args, at)\n";
    }

    private List<String> requestNames() {
        List<String> names =
                new ArrayList<>(alone ? List.of("cost", "maxDelay") : List.of("times", "cost", "maxDelay"));
        for (int i = 1; i <= limits.size(); i++) {
            names.add("room_" + i);
        }
        return names;
    }

    /** Reads all arguments at once: the first ones, the numbers of all limits, then for each limit those after the dots. */
    private String arguments(String line, String indent) {
        String[] ends = line.split(" \\.\\.\\.", -1);
        List<String> names = new ArrayList<>(List.of(ends[0].split(" ", -1)));
        names.addAll(numbers());
        for (int i = 1; i <= limits.size(); i++) {
            for (String name : ends[1].strip().split(" ", -1)) {
                if (!name.isEmpty()) {
                    names.add(name + i);
                }
            }
        }
        return indent + "local " + String.join(", ", names) + " = unpack('<" + "d".repeat(names.size())
                + "', ARGV[1])\n";
    }

    private String record(String indent) {
        List<String> names = new ArrayList<>(List.of("outcome", "now", "latest", "departsAt"));
        for (int i = 1; i <= limits.size(); i++) {
            names.addAll(List.of("used_" + i, "freshAt_" + i, "readyAt_" + i, "mark_" + i));
        }
        return indent + "local record = pack('<B" + "d".repeat(names.size() - 1) + "', " + String.join(", ", names)
                + ")\n";
    }

    /** The names of the numbers of all limits. */
    private List<String> numbers() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            String mark = MARK + "numbers ";
            int number = i + 1;
            Script.file(limits.get(i).algorithm())
                    .lines()
                    .filter(line -> line.startsWith(mark))
                    .flatMap(line -> List.of(line.substring(mark.length()).split(" ", -1)).stream())
                    .forEach(name -> names.add(name + number));
        }
        return names;
    }

    /** The number of keys of the first {@code count} limits. */
    private int keys(int count) {
        int keys = 0;
        for (Script.Part limit : limits.subList(0, count)) {
            keys += 1 + limit.earlier();
        }
        return keys;
    }

    private void forEachLimit(List<String> lines, StringBuilder text) {
        for (int i = 0; i < limits.size(); i++) {
            Map<String, String> parts = new HashMap<>(common);
            parts.putAll(parts(Script.file(limits.get(i).algorithm())));
            if (limits.get(i).earlier() == 0) {
                parts.remove("continue");
                parts.remove("migrate");
            }
            String pasted = pasted(lines, parts, "")
                    .replaceAll("\\bk_\\b", Integer.toString(keys(i) + 1))
                    .replaceAll("\\bnames_\\b", Integer.toString(limits.get(i).earlier()))
                    .replaceAll("\\breturns_\\b", Boolean.toString(limits.get(i).returns()));
            text.append(OWN_NAME.matcher(pasted).replaceAll("$1_" + (i + 1)));
        }
    }

    /** The lines, with the marks replaced by parts of the same indentation, and without the comments of those. */
    private static String pasted(List<String> lines, Map<String, String> parts, String indent) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            String words = line.strip();
            String deeper = indent + line.substring(0, line.indexOf(words));
            if (words.startsWith(MARK)) {
                String part = parts.getOrDefault(words.substring(MARK.length()), "");
                text.append(pasted(part.lines().toList(), parts, deeper));
            } else if (!words.isEmpty() && !words.startsWith("--")) {
                text.append(indent).append(line).append('\n');
            }
        }
        return text.toString();
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
}
