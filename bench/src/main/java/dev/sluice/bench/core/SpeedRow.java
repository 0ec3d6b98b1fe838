package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The speed of one contender at one number of threads. */
record SpeedRow(Group group, Contender contender, int threads) {
    static List<SpeedRow> all() {
        return Arrays.stream(Group.values())
                .flatMap(group -> group.threads.stream()
                        .flatMap(threads ->
                                group.contenders.stream().map(contender -> new SpeedRow(group, contender, threads))))
                .toList();
    }

    Jmh jmh() {
        Map<String, String> parameters = Map.of(
                "contender", contender.name(), "supply", group.supply.name(), "keys", String.valueOf(group.keys()));
        return new Jmh(group.benchmarks, method(), threads, parameters);
    }

    private String method() {
        return switch (contender) {
            case CLOCK -> "floorClock";
            case CLOCK_CAS -> "floorClockCas";
            case CLOCK_READ -> "floorClockRead";
            case MAP_CLOCK_CAS -> "floorMapClockCas";
            case SEPARATE_2, SEPARATE_4 -> "separateCalls";
            case TOGETHER_2, TOGETHER_4 -> "decideAll";
            case MAP_ADDER -> "floorMapAdder";
            case HOT_KEYS -> "recordedSluice";
            default -> group.label + contender.library.inCamelCase();
        };
    }

    @Override
    public String toString() {
        return group.label + " " + contender.label + ", " + threads + (threads == 1 ? " thread" : " threads");
    }
}
