package dev.sluice.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One table of all benchmarks: how the best of Sluice stands beside the best of its peers in every column of every page in
 * which both were measured.
 *
 * <p>It reads the pages that the suites write, since one of the suites runs on other versions of the same libraries and so
 * in another process.
 */
public final class League {
    private static final List<String> SUITES = List.of("core", "redis", "server", "spring", "replay");

    /** Rows that show the least work possible, or what Sluice itself could do without the part that is measured. */
    private static final List<String> FLOORS =
            List.of("floor", "the floor", "no limiter", "nginx, return", "Vert.x, a trivial", "a limiter on Redis");

    /** Rows of Sluice that do something else than the rows beside them. */
    private static final List<String> APART = List.of("sluice generate");

    private League() {}

    /** A row's figure in one column. */
    private record Entry(String name, double figure, String shown) {
        boolean isSluice() {
            return name.startsWith("sluice");
        }
    }

    /** A column in which Sluice and a peer were measured. */
    private record Contest(String suite, String section, String measure, boolean moreIsBetter, List<Entry> entries) {
        /** The best first. */
        List<Entry> ranked() {
            Comparator<Entry> order = Comparator.comparingDouble(Entry::figure);
            return entries.stream()
                    .sorted(moreIsBetter ? order.reversed() : order)
                    .toList();
        }

        Entry best(boolean ofSluice) {
            return ranked().stream()
                    .filter(entry -> entry.isSluice() == ofSluice)
                    .findFirst()
                    .orElseThrow();
        }

        /** Positive if the best of Sluice is better than the best peer, zero if they are equal. */
        int standing() {
            int more = Double.compare(best(true).figure, best(false).figure);
            return moreIsBetter ? more : -more;
        }

        /** How many times better the best of Sluice is than the best peer; below 1 it is worse. */
        Optional<Double> ahead() {
            double sluice = best(true).figure;
            double peer = best(false).figure;
            double divisor = moreIsBetter ? peer : sluice;
            return divisor == 0 ? Optional.empty() : Optional.of((moreIsBetter ? sluice : peer) / divisor);
        }

        String places() {
            List<Entry> ranked = ranked();
            String places = IntStream.range(0, ranked.size())
                    .filter(place -> ranked.get(place).isSluice())
                    .mapToObj(place -> String.valueOf(place + 1))
                    .collect(Collectors.joining(", "));
            return places + " of " + ranked.size();
        }
    }

    /** The file with the table, in the folder of the pages. */
    static Path file(Path folder) {
        return folder.resolve("benchmarks-all.md");
    }

    /**
     * Writes the table beside the pages in a folder, and returns its page.
     *
     * @throws Options.BadOption if there is no page of any suite
     */
    public static String write(Path folder) throws IOException {
        String page = page(folder);
        Files.writeString(file(folder), page);
        return page;
    }

    private static Path page(Path folder, String suite) {
        return folder.resolve(suite.equals("core") ? "benchmarks.md" : "benchmarks-" + suite + ".md");
    }

    static String page(Path folder) throws IOException {
        List<String> sources = new ArrayList<>();
        List<Contest> contests = new ArrayList<>();
        for (String suite : SUITES) {
            Path page = page(folder, suite);
            if (Files.exists(page)) {
                List<String> lines = Files.readAllLines(page);
                sources.add("- [%s](%s): %s".formatted(suite, page.getFileName(), provenance(lines)));
                contests.addAll(contests(suite, lines));
            }
        }
        if (contests.isEmpty()) {
            throw new Options.BadOption("no results in " + folder + "; ./sluice bench all measures");
        }
        return """
                # All benchmarks in one table

                How the best of Sluice stands beside the best of its peers, in every benchmark in which both take part. Written by `./sluice bench all` from the pages of the suites: do not edit.

                %s

                - ahead: how many times better the best row of Sluice is than the best row of a peer. Below 1.00 the peer is ahead; nothing where one of them is 0.
                - places: those of all rows of Sluice, among all rows that limit something. The floors do not take part.
                - The peers do not all promise the same. The page of each suite says what each row does, and has the ranges.

                %s""".formatted(String.join("\n", sources), table(contests));
    }

    private static Table table(List<Contest> contests) {
        String title = "Sluice is ahead in %d, level in %d and behind in %d"
                .formatted(
                        contests.stream().filter(each -> each.standing() > 0).count(),
                        contests.stream().filter(each -> each.standing() == 0).count(),
                        contests.stream().filter(each -> each.standing() < 0).count());
        return Table.of(title, "suite", Contest::suite)
                .text("benchmark", Contest::section)
                .text("measure", Contest::measure)
                .text("best of Sluice", contest -> contest.best(true).name)
                .text("best peer", contest -> contest.best(false).name)
                .text("Sluice", contest -> contest.best(true).shown)
                .text("peer", contest -> contest.best(false).shown)
                .number("ahead", "%.2f", Contest::ahead)
                .text("places", Contest::places)
                .rows(contests)
                .withTextColumns(5);
    }

    /** When, how and where a page was measured. */
    private static String provenance(List<String> lines) {
        return lines.stream()
                .filter(line ->
                        Stream.of("- Date: ", "- Command: ", "- Machine: ").anyMatch(line::startsWith))
                .map(line -> line.substring(line.indexOf(": ") + 2))
                .collect(Collectors.joining("; "));
    }

    private static List<Contest> contests(String suite, List<String> lines) {
        List<Contest> contests = new ArrayList<>();
        String section = "";
        for (int at = 0; at < lines.size(); at++) {
            if (lines.get(at).startsWith("## ")) {
                section = lines.get(at).substring(3);
            } else if (lines.get(at).startsWith("| ") && !section.startsWith("Targets")) {
                List<List<String>> rows = new ArrayList<>();
                for (; at < lines.size() && lines.get(at).startsWith("| "); at++) {
                    rows.add(cells(lines.get(at)));
                }
                contests.addAll(contests(suite, section, rows.get(0), rows.subList(2, rows.size())));
            }
        }
        return contests;
    }

    private static List<String> cells(String line) {
        String[] cells = line.split("\\|", -1);
        return IntStream.range(1, cells.length - 1)
                .mapToObj(cell -> cells[cell].strip())
                .toList();
    }

    private static List<Contest> contests(String suite, String section, List<String> head, List<List<String>> rows) {
        return IntStream.range(1, head.size())
                .filter(column -> isMeasure(head.get(column)))
                .mapToObj(column -> contest(suite, section, head, rows, column))
                .filter(contest -> contest.entries.stream().anyMatch(Entry::isSluice))
                .filter(contest -> !contest.entries.stream().allMatch(Entry::isSluice))
                .toList();
    }

    /** Ranges and ratios say nothing new, and a plain counter is no part of a limiter. */
    private static boolean isMeasure(String head) {
        return !head.equals("min-max")
                && !head.startsWith("x ")
                && !head.equals("over none")
                && !head.equals("plain counter");
    }

    private static Contest contest(
            String suite, String section, List<String> head, List<List<String>> rows, int column) {
        boolean moreIsBetter =
                head.get(0).contains("per second") || head.get(column).contains("per second");
        List<Entry> entries = new ArrayList<>();
        for (List<String> row : rows) {
            String name = row.get(0);
            OptionalDouble figure = figure(row.get(column));
            boolean takesPart = Stream.concat(FLOORS.stream(), APART.stream()).noneMatch(name::startsWith);
            if (takesPart && figure.isPresent()) {
                entries.add(new Entry(name, figure.getAsDouble(), row.get(column)));
            }
        }
        String measure = head.get(0).contains("per second") ? "per second, " + head.get(column) : head.get(column);
        return new Contest(suite, section, measure, moreIsBetter, entries);
    }

    private static OptionalDouble figure(String cell) {
        String digits = cell.replace(",", "");
        return digits.matches("\\d+(\\.\\d+)?")
                ? OptionalDouble.of(Double.parseDouble(digits))
                : OptionalDouble.empty();
    }
}
