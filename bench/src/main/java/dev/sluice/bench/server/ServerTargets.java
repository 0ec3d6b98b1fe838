package dev.sluice.bench.server;

import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Target;
import dev.sluice.bench.server.Figures.What;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What Sluice promises of its server, and whether this run bears it out. */
final class ServerTargets {
    private final Figures figures;
    private final List<Target> targets = new ArrayList<>();

    private ServerTargets(Figures figures) {
        this.figures = figures;
    }

    static List<Target> of(Figures figures) {
        ServerTargets targets = new ServerTargets(figures);
        targets.besideNginx(Row.CHECK, 0.8);
        targets.besideNginx(Row.FOR_NGINX, 0.9);
        targets.atLeast(
                "RLS over gRPC: at least 0.6 x the decisions of /v1/check for the same processor time",
                targets.timesWork(Row.RLS, Row.CHECK),
                0.6);
        targets.atLeast(
                "/v1/check on Redis, 256 connections: at least 0.7 x a limiter on Redis with 256 in flight",
                targets.ratio(What.PER_SECOND, Row.ON_REDIS, Row.RAW_REDIS),
                0.7);
        targets.below("from 10 to 10,000 rules", Row.MANY_RULES, Row.CHECK);
        targets.below("from 1 to 1,000,000 keys", Row.MANY_KEYS, Row.ONE_KEY);
        return targets.targets;
    }

    /** By the cheapest nginx that limits, and by one that has something to serve. */
    private void besideNginx(Row row, double least) {
        for (Row nginx : List.of(Row.NGINX_LIMIT, Row.NGINX_FILE)) {
            String promise = row.label + ": at least " + least + " x the requests of " + nginx.label;
            atLeast(promise + ", per second", ratio(What.PER_SECOND, row, nginx), least);
            atLeast(promise + ", for the same processor time", timesWork(row, nginx), least);
        }
    }

    /** How many times as much a row does as another for the same processor time. */
    private Optional<Double> timesWork(Row row, Row unit) {
        return Measurements.ratio(figures.median(unit, What.CPU_MICROS), figures.median(row, What.CPU_MICROS));
    }

    private Optional<Double> ratio(What what, Row row, Row other) {
        return Measurements.ratio(figures.median(row, what), figures.median(other, what));
    }

    private void atLeast(String promise, Optional<Double> ratio, double least) {
        targets.add(Target.of(promise, ratio.map("%.2f x"::formatted), ratio.map(measured -> measured >= least)));
    }

    private void below(String what, Row more, Row less) {
        Optional<Double> ratio = ratio(What.CPU_MICROS, more, less);
        targets.add(Target.of(
                what + ": less than 1.5 x the processor time",
                ratio.map("%.2f x"::formatted),
                ratio.map(measured -> measured < 1.5)));
    }
}
