package dev.sluice.server;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.ServerSettings.Address;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics of real servers that have everything: Redis, rules, limits for Envoy, some traffic, and TLS.
 *
 * @param families the labels of each metric, by its name; a histogram or summary is one metric
 * @param samples the labels of each series and their values, by the name of the series
 */
record Scrape(Map<String, Set<String>> families, Map<String, Map<String, Set<String>>> samples) {
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    static Scrape of(Path folder) throws Exception {
        Files.writeString(folder.resolve("shop.yaml"), """
                domain: shop
                descriptors:
                  - { key: user, rate_limit: { unit: day, requests_per_unit: 5 } }
                """);
        Pki pki = new Pki(Files.createDirectory(folder.resolve("tls")));
        pki.authority("ca");
        TlsFiles tls = new TlsFiles("--tls-", pki.file("ca.crt"), pki.file("ca.key"), null, null);
        Address plain = new Address(Address.LOOPBACK, 0);
        try (Service encrypted = new Service(
                        ServerSettings.of(InitialRules.example()).at(new Address(Address.LOOPBACK, 0, tls), plain));
                RedisServer redis = RedisServer.start();
                Service service = new Service(ServerSettings.of(InitialRules.example())
                        .store(redis.url())
                        .envoy(EnvoyFolder.open(folder)))) {
            service.get("/v1/check?ip=203.0.113.9&path=/login&method=POST");
            service.send(HttpRequest.newBuilder(service.uri("/json"))
                    .POST(BodyPublishers.ofString(Service.json(
                            "{'domain': 'shop', 'descriptors': [{'entries': [{'key': 'user', 'value': 'ada'}]}]}"))));
            System.gc();
            URI metrics = URI.create("http://127.0.0.1:" + service.server().adminPort() + "/metrics");
            Eventually.holds(
                    "Redis and the collector are there",
                    Duration.ofSeconds(20),
                    () -> Stream.of("sluice_store_master_up{", "jvm_gc_pause_seconds_count{", "port=\"admin\",status=")
                            .allMatch(service.send(HttpRequest.newBuilder(metrics))
                                    .body()::contains));
            URI others = URI.create("http://127.0.0.1:" + encrypted.server().adminPort() + "/metrics");
            return parse(Stream.of(metrics, others)
                    .map(each -> service.send(HttpRequest.newBuilder(each)).body())
                    .collect(Collectors.joining("\n")));
        }
    }

    private static Scrape parse(String text) {
        Map<String, String> types = new TreeMap<>();
        Map<String, Set<String>> families = new TreeMap<>();
        Map<String, Map<String, Set<String>>> samples = new TreeMap<>();
        text.lines().forEach(line -> {
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (type.matches()) {
                types.put(type.group(1), type.group(2));
            } else if (!line.startsWith("#") && sample.matches()) {
                Map<String, Set<String>> labels = samples.computeIfAbsent(sample.group(1), name -> new TreeMap<>());
                Set<String> names = families.computeIfAbsent(family(sample.group(1), types), name -> new TreeSet<>());
                LABEL.matcher(sample.group(2) == null ? "" : sample.group(2))
                        .results()
                        .forEach(label -> {
                            labels.computeIfAbsent(label.group(1), name -> new TreeSet<>())
                                    .add(label.group(2));
                            if (!label.group(1).equals("le")) {
                                names.add(label.group(1));
                            }
                        });
            }
        });
        return new Scrape(families, samples);
    }

    private static String family(String sample, Map<String, String> types) {
        String base = sample.replaceFirst("_(bucket|count|sum)$", "");
        String type = types.getOrDefault(base, "");
        return type.equals("histogram") || type.equals("summary") ? base : sample;
    }
}
