package dev.sluice.simulate.judge;

import dev.sluice.simulate.generate.GeneratedRequest;
import dev.sluice.simulate.generate.LogPlan;
import dev.sluice.simulate.generate.LogSink;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Abuse that is planted into a generated log beside what the generator has: kinds that the thresholds of suggestions were
 * not made on. Their addresses begin with 198.18, which no other client's does.
 */
final class HarderAbuse {
    static final String ADDRESSES = "198.18.";

    private static final String BROWSER =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
    private static final double SECOND = 1_000_000;

    private final LogPlan plan;
    private final SplittableRandom random;
    private final List<GeneratedRequest> requests = new ArrayList<>();
    private int addresses;

    private HarderAbuse(LogPlan plan) {
        this.plan = plan;
        this.random = new SplittableRandom(plan.seed() ^ 0x5EED);
    }

    /** Somebody reads all products as fast as a few requests a second, and says that this is a browser. */
    static List<GeneratedRequest> scraper(LogPlan plan) {
        HarderAbuse abuse = new HarderAbuse(plan);
        abuse.client(plan.lines() / 50, 0.3 * SECOND, i -> "/products/" + abuse.random.nextInt(5000), "GET", 200);
        return abuse.inOrder();
    }

    /** Somebody looks for files that are not there. */
    static List<GeneratedRequest> scanner(LogPlan plan) {
        HarderAbuse abuse = new HarderAbuse(plan);
        abuse.client(
                plan.lines() / 100,
                0.1 * SECOND,
                i -> "/" + Long.toString(abuse.random.nextLong(1 << 30), 36) + ".php",
                "GET",
                404);
        return abuse.inOrder();
    }

    /** Passwords are tried from many addresses, a few times an hour from each. */
    static List<GeneratedRequest> slowStuffing(LogPlan plan) {
        HarderAbuse abuse = new HarderAbuse(plan);
        for (int i = 0; i < plan.lines() / 500; i++) {
            abuse.client(5, 1200 * SECOND, each -> "/login", "POST", 401);
        }
        return abuse.inOrder();
    }

    private interface Paths {
        String path(long number);
    }

    private void client(long count, double meanMicros, Paths paths, String method, int status) {
        String ip = ADDRESSES + (addresses >> 8) + "." + (addresses++ & 255);
        long duration = TimeUnit.MICROSECONDS.convert(plan.duration());
        long start = TimeUnit.MICROSECONDS.convert(Duration.between(Instant.EPOCH, plan.start()));
        long at = start + random.nextLong(duration / 2);
        for (long i = 0; i < count && at < start + duration; i++) {
            requests.add(new GeneratedRequest(at, ip, "", method, paths.path(i), status, 500, "", BROWSER));
            at += (long) (-Math.log(1 - random.nextDouble()) * meanMicros);
        }
    }

    private List<GeneratedRequest> inOrder() {
        requests.sort(Comparator.comparingLong(GeneratedRequest::timeMicros));
        return requests;
    }

    /** A sink that hands on planted requests between those that it is given. */
    static final class Planted implements LogSink {
        private final Deque<GeneratedRequest> planted;
        private final LogSink sink;

        Planted(List<GeneratedRequest> planted, LogSink sink) {
            this.planted = new ArrayDeque<>(planted);
            this.sink = sink;
        }

        @Override
        public void accept(GeneratedRequest request) throws IOException {
            GeneratedRequest next = planted.peek();
            while (next != null && next.timeMicros() <= request.timeMicros()) {
                sink.accept(planted.remove());
                next = planted.peek();
            }
            sink.accept(request);
        }
    }
}
