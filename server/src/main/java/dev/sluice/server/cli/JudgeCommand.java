package dev.sluice.server.cli;

import dev.sluice.simulate.judge.Judge;
import dev.sluice.simulate.judge.JudgedTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Judges suggested limits on generated logs. Exits with 1 if a log misses a target. */
@Command(
        name = "judge",
        hidden = true,
        description =
                "Suggests limits for generated logs, and compares what they cut with the truth about each client.")
final class JudgeCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--seeds", paramLabel = "N", description = "How many logs. Default: 20.")
    private int seeds = 20;

    @Option(names = "--seed", paramLabel = "N", description = "The seed of the first log. Default: 1.")
    private long seed = 1;

    @Option(names = "--lines", paramLabel = "N", description = "About how many lines each has. Default: 100000.")
    private long lines = 100_000;

    @Option(
            names = "--plant",
            paramLabel = "KIND",
            description = "Other abuse beside what the generator has: nothing, scraper, scanner or slow_stuffing.")
    private String plant = "nothing";

    @Override
    public Integer call() throws IOException {
        Judge.Planted planted;
        try {
            planted = Judge.Planted.valueOf(plant.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw common.wrongCall("--plant must be nothing, scraper, scanner or slow_stuffing, was '" + plant + "'");
        }
        if (seeds < 1 || lines < 1) {
            throw common.wrongCall("--seeds and --lines must be 1 or more, were " + seeds + " and " + lines);
        }
        List<Judge.Judged> judged = new ArrayList<>();
        for (int i = 0; i < seeds; i++) {
            judged.add(Judge.judge(seed + i, lines, planted));
        }
        common.out().print(JudgedTable.of(judged));
        common.out().flush();
        return judged.stream().allMatch(each -> JudgedTable.isMet(each.outcome())) ? 0 : 1;
    }
}
