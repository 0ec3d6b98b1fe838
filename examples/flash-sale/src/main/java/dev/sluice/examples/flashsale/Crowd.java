package dev.sluice.examples.flashsale;

import dev.sluice.examples.flashsale.Tally.Call;
import dev.sluice.examples.flashsale.Tally.End;
import dev.sluice.examples.flashsale.Tally.Who;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Honest buyers, impatient ones and bots, a thread each. */
final class Crowd implements AutoCloseable {
    private static final Pattern ORDER = Pattern.compile("\"order\":(\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(10); // who is told to wait longer goes away
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int BOTS_PER_ADDRESS = 2;

    private final Plan plan;
    private final String address;
    private final Tally tally;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(null, work, "crowd", 256 * 1024);
        thread.setDaemon(true);
        return thread;
    });
    private final List<CompletableFuture<Void>> buyers = new ArrayList<>();
    private final long deadline;
    private volatile boolean over;

    /** Sends the crowd in. */
    Crowd(Plan plan, String address, Tally tally) {
        this.plan = plan;
        this.address = address;
        this.tally = tally;
        this.deadline = System.nanoTime() + plan.atMost().toNanos();
        for (int i = 0; i < plan.honest(); i++) {
            Buyer buyer = new Buyer(Who.HONEST, "honest-" + i, "10.1." + i / 250 + "." + i % 250);
            long delay = arrival(i);
            buyers.add(CompletableFuture.runAsync(() -> honest(buyer, delay), threads));
        }
        for (int i = 0; i < plan.impatient(); i++) {
            Buyer buyer = new Buyer(Who.IMPATIENT, "impatient-" + i, "10.2." + i / 250 + "." + i % 250);
            long delay = arrival(i);
            buyers.add(CompletableFuture.runAsync(() -> impatient(buyer, delay), threads));
        }
        for (int i = 0; i < plan.botAddresses() * BOTS_PER_ADDRESS; i++) {
            int bot = i;
            threads.execute(() -> bot(bot));
        }
    }

    /** Whether no buyer is left. */
    boolean gone() {
        return buyers.stream().allMatch(CompletableFuture::isDone);
    }

    /** Sends the bots away, and whoever is left. */
    @Override
    public void close() {
        over = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** A third comes at once, the others evenly. */
    private long arrival(int number) {
        return number % 3 == 0
                ? 0
                : ThreadLocalRandom.current().nextLong(plan.arrivals().toMillis());
    }

    private boolean open() {
        return !over && System.nanoTime() < deadline;
    }

    private record Buyer(Who who, String name, String ip) {}

    private record Reply(End end, long retryAfterMillis, OptionalLong order) {
        boolean refused() {
            return end == End.REFUSED_BY_NGINX
                    || end == End.REFUSED_BY_SERVICE
                    || end == End.REFUSED_BY_SHOP
                    || end == End.FAILED;
        }
    }

    /** Clicks twice, as people do. The page sends one request, and the button is grey for as long as the server says. */
    private void honest(Buyer buyer, long delay) {
        pause(delay);
        ask(buyer, Call.STOCK);
        Reply reply;
        do {
            tally.add(buyer.who(), Call.ORDER, End.BROWSER);
            reply = ask(buyer, Call.ORDER);
            if (reply.retryAfterMillis() > PATIENCE.toMillis()) {
                return;
            }
            if (reply.refused()) {
                pause(reply.retryAfterMillis() + ThreadLocalRandom.current().nextLong(500));
                ask(buyer, Call.STOCK);
            }
        } while (reply.refused() && open());
        pay(buyer, reply.order());
    }

    /** Has no such page: sends three orders at once, and again a moment later, whatever the server says. */
    private void impatient(Buyer buyer, long delay) {
        pause(delay);
        List<Reply> replies;
        int rounds = 0;
        do {
            List<CompletableFuture<Reply>> clicks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clicks.add(CompletableFuture.supplyAsync(() -> ask(buyer, Call.ORDER), threads));
            }
            replies = clicks.stream().map(CompletableFuture::join).toList();
            pause(700);
            rounds++;
        } while (replies.stream().allMatch(Reply::refused) && rounds < 10 && open());
        replies.stream()
                .filter(reply -> reply.order().isPresent())
                .findFirst()
                .ifPresent(reply -> pay(buyer, reply.order()));
    }

    /** Sends orders as fast as it can, each under another name, and pays for what it gets. */
    private void bot(int number) {
        for (int i = 0; open(); i++) {
            Buyer buyer = new Buyer(Who.BOT, "bot-" + number + "-" + i, "10.3.0." + number / BOTS_PER_ADDRESS);
            pay(buyer, ask(buyer, Call.ORDER).order());
            pause(15);
        }
    }

    private void pay(Buyer buyer, OptionalLong order) {
        if (order.isEmpty()) {
            return;
        }
        Reply reply;
        do {
            reply = send(buyer, Call.PAYMENT, "POST", "/api/payments?order=" + order.getAsLong());
            if (reply.refused()) {
                pause(reply.retryAfterMillis());
            }
        } while (reply.refused() && System.nanoTime() < deadline);
    }

    private Reply ask(Buyer buyer, Call call) {
        return call == Call.STOCK ? send(buyer, call, "GET", "/api/stock") : send(buyer, call, "POST", "/api/orders");
    }

    private Reply send(Buyer buyer, Call call, String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("X-Forwarded-For", buyer.ip())
                .header("Cookie", "shopper=" + buyer.name())
                .timeout(TIMEOUT)
                .build();
        Reply reply;
        try {
            reply = read(http.send(request, HttpResponse.BodyHandlers.ofString()));
        } catch (IOException e) {
            reply = new Reply(End.FAILED, 1000, OptionalLong.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            over = true;
            reply = new Reply(End.FAILED, 0, OptionalLong.empty());
        }
        tally.add(buyer.who(), call, reply.end());
        return reply;
    }

    private static Reply read(HttpResponse<String> response) {
        Matcher order = ORDER.matcher(response.body());
        OptionalLong number = order.find() ? OptionalLong.of(Long.parseLong(order.group(1))) : OptionalLong.empty();
        long seconds = response.headers().firstValueAsLong("Retry-After").orElse(1);
        return new Reply(end(response), TimeUnit.SECONDS.toMillis(seconds), number);
    }

    private static End end(HttpResponse<String> response) {
        String by = response.headers().firstValue("X-Refused-By").orElse("shop");
        return switch (response.statusCode()) {
            case 200 -> response.body().contains("\"fresh\":false") ? End.DEGRADED : End.SERVED;
            case 409 -> End.SOLD_OUT;
            case 429 ->
                switch (by) {
                    case "nginx" -> End.REFUSED_BY_NGINX;
                    case "service" -> End.REFUSED_BY_SERVICE;
                    default -> End.REFUSED_BY_SHOP;
                };
            default -> End.FAILED;
        };
    }

    private void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            over = true;
        }
    }
}
