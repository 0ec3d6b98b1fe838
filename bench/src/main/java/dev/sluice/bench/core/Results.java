package dev.sluice.bench.core;

import dev.sluice.bench.report.Jmh;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All that one run has measured. What was left out is absent. */
final class Results {
    private final Map<Speed.Cell, Jmh.Cost> speed = new LinkedHashMap<>();
    private final Map<MemoryProbe, Map<String, Long>> memory = new LinkedHashMap<>();

    void add(Speed.Cell cell, Jmh.Cost cost) {
        speed.merge(cell, cost, Jmh.Cost::with);
    }

    void add(MemoryProbe probe, Map<String, Long> figures) {
        memory.put(probe, figures);
    }

    Optional<Jmh.Cost> cost(Group group, String benchmark, int threads) {
        return Optional.ofNullable(speed.get(new Speed.Cell(group, benchmark, threads)));
    }

    Optional<Double> nanos(Group group, String benchmark, int threads) {
        return cost(group, benchmark, threads).map(cost -> cost.nanos().median());
    }

    /** How many times as long as the floor of the group. */
    Optional<Double> ratio(Group group, String benchmark, int threads) {
        return nanos(group, group.floor, threads)
                .flatMap(floor -> nanos(group, benchmark, threads).map(nanos -> nanos / floor));
    }

    Optional<Long> figure(MemoryProbe probe, String name) {
        return Optional.ofNullable(memory.get(probe)).map(figures -> figures.get(name));
    }

    /** The benchmarks of a group, in the order they first ran. */
    List<String> benchmarks(Group group) {
        List<String> names = new ArrayList<>();
        for (Speed.Cell cell : speed.keySet()) {
            if (cell.group() == group && !names.contains(cell.benchmark())) {
                names.add(cell.benchmark());
            }
        }
        return names;
    }

    List<MemoryProbe> probes(MemoryProbe.Kind kind) {
        return memory.keySet().stream().filter(probe -> probe.kind == kind).toList();
    }
}
