package dev.sluice.bench.report;

import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a run found.
 *
 * @param summary what was measured, in a sentence
 * @param notes how it was measured, and how to read the tables
 */
public record Report(String title, String summary, List<String> notes, List<Table> tables, List<Target> targets) {
    /** The tables and the verdicts on the targets. */
    public String body() {
        return tables.stream().map(Table::toString).collect(Collectors.joining()) + Table.of(targets);
    }

    /** The whole page. */
    public String page(Options options, List<String> machine, LocalDate date) {
        return """
                # %s

                %s Written by the command below: do not edit.

                - Date: %s
                - Command: `%s`
                - %s
                - %s

                %s""".formatted(
                        title,
                        summary,
                        date,
                        options.command(),
                        String.join("\n- ", machine),
                        String.join("\n- ", notes),
                        body());
    }
}
