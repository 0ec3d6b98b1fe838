package dev.sluice.examples.flashsale;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the service and the shops say of themselves. */
final class Metrics {
    private static final Pattern ACTUATOR_VALUE = Pattern.compile("\"value\":([0-9.E]+)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Layers layers;

    Metrics(Layers layers) {
        this.layers = layers;
    }

    /**
     * A look at all of them.
     *
     * @param queued checks that the service answered after more than a tenth of a second: those that waited at the door
     * @param serviceWithoutRedis checks that the service decided by itself, because Redis did not answer
     * @param shopWithoutRedis the same, of both shops
     * @param usingRedis how many of the three use Redis now
     */
    record Snapshot(long queued, long serviceWithoutRedis, long shopWithoutRedis, int usingRedis) {}

    Snapshot read() throws IOException, InterruptedException {
        String service = get(layers.serviceMetrics());
        double queued = sum(service, "sluice_check_seconds_count")
                - sum(service, "sluice_check_seconds_bucket\\{le=\"0\\.1\"\\}");
        double shops = 0;
        double up = sum(service, "sluice_store_up");
        for (String shop : layers.shopMetrics()) {
            shops += actuator(shop + "sluice.store.without");
            up += actuator(shop + "sluice.store.up");
        }
        double without = sum(service, "sluice_store_without_total\\{[^}]*\\}");
        return new Snapshot((long) queued, (long) without, (long) shops, (int) up);
    }

    private static double sum(String scrape, String name) {
        return Pattern.compile("^" + name + " (\\S+)$", Pattern.MULTILINE)
                .matcher(scrape)
                .results()
                .mapToDouble(found -> Double.parseDouble(found.group(1)))
                .sum();
    }

    private static double actuator(String address) throws IOException, InterruptedException {
        Matcher value = ACTUATOR_VALUE.matcher(get(address));
        return value.find() ? Double.parseDouble(value.group(1)) : 0;
    }

    private static String get(String address) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .timeout(Duration.ofSeconds(30))
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}
