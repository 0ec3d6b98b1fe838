package dev.sluice.examples.flashsale;

import dev.sluice.examples.flashsale.shop.Warehouse;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Starts all layers, sends the crowd in, shows the table, kills Redis on the way and brings it back. */
final class FlashSale {
    private static final String CLEAR = "\033[H\033[2J";
    private static final Duration TO_RECOVER = Duration.ofSeconds(20);

    private enum Redis {
        UP,
        KILLED,
        BACK;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Plan plan;
    private final Layers layers;
    private final PrintStream out;

    /**
     * A sale.
     *
     * @param out where the table goes
     */
    FlashSale(Plan plan, Layers layers, PrintStream out) {
        this.plan = plan;
        this.layers = layers;
        this.out = out;
    }

    public static void main(String[] args) throws InterruptedException, SQLException {
        List<String> options = List.of(args);
        if (!List.of("--short", "--serve").containsAll(options)) {
            System.err.println("usage: run [--short | --serve]");
            System.exit(2);
        }
        Plan plan = options.contains("--short") ? Plan.SHORT : Plan.USUAL;
        Path root = Path.of(System.getProperty("sluice.root", "../.."));
        System.out.println("starting database, Redis, service, two shops and nginx ...");
        try (Programs programs = Programs.none()) {
            try {
                Layers layers = new Layers(programs, root, plan.stock());
                System.out.println("the page: " + layers.address());
                if (options.contains("--serve")) {
                    System.out.println("Ctrl-C ends it");
                    new CountDownLatch(1).await();
                }
                new FlashSale(plan, layers, System.out).run();
            } catch (IOException | RuntimeException e) {
                if (!programs.closed()) { // after Ctrl-C everything fails
                    throw e;
                }
            }
        } catch (IOException e) {
            System.err.println("the sale could not be held: " + e.getMessage());
            System.exit(1);
        }
    }

    /**
     * How it went.
     *
     * @param stock what was there at the end
     * @param soldBeforeReturn what was sold when Redis came back
     * @param sums what was sold and unsold together, at every look
     * @param metrics the last of the metrics, once everybody uses Redis again
     */
    record Result(
            Tally tally, Warehouse.Count stock, int soldBeforeReturn, Set<Integer> sums, Metrics.Snapshot metrics) {}

    Result run() throws IOException, InterruptedException {
        Tally tally = new Tally();
        Table table = new Table(tally, layers.warehouse());
        Metrics metrics = new Metrics(layers);
        metrics.read(); // the first look is slow
        Redis redis = Redis.UP;
        int soldBeforeReturn = 0;
        Set<Integer> sums = new TreeSet<>();
        long began = System.nanoTime();
        try (Crowd crowd = new Crowd(plan, layers.address(), tally)) {
            while (!crowd.gone() || redis != Redis.BACK) {
                TimeUnit.MILLISECONDS.sleep(500);
                Duration now = since(began);
                if (redis == Redis.UP && now.compareTo(plan.redisDies()) >= 0) {
                    layers.killRedis();
                    redis = Redis.KILLED;
                } else if (redis == Redis.KILLED && now.compareTo(plan.redisReturns()) >= 0) {
                    soldBeforeReturn = layers.warehouse().count().sold();
                    layers.reviveRedis();
                    redis = Redis.BACK;
                }
                Warehouse.Count stock = layers.warehouse().count();
                sums.add(stock.sold() + stock.unsold());
                Metrics.Snapshot snapshot = metrics.read();
                show(table.draw(since(began), redis.word(), snapshot));
            }
        }
        Metrics.Snapshot last = recovered(metrics);
        show(table.draw(since(began), redis.word(), last));
        return new Result(tally, layers.warehouse().count(), soldBeforeReturn, sums, last);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private static Metrics.Snapshot recovered(Metrics metrics) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TO_RECOVER.toNanos();
        Metrics.Snapshot last = metrics.read();
        while (last.usingRedis() < 3 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(200);
            last = metrics.read();
        }
        return last;
    }

    private void show(String table) {
        out.print((Boolean.getBoolean("sluice.redraw") ? CLEAR : "\n") + table);
        out.flush();
    }
}
