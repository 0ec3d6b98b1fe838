package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.envoy.file.EnvoyConfig;
import dev.sluice.server.envoy.file.EnvoyConfigException;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.extensions.filters.http.ratelimit.v3.RateLimit;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What docs/envoy.md and examples/envoy show is read by what it is for: Envoy's files by Envoy's own messages. */
final class EnvoyPagesTest {
    private static final Path EXAMPLES = Path.of("..", "examples", "envoy");
    private static final Path PAGE = Path.of("..", "docs", "envoy.md");
    private static final Pattern YAML = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private final Clock clock = new Clock();

    @TestFactory
    Stream<DynamicTest> everySampleIsRead() throws Exception {
        String page = Files.readString(PAGE);
        List<String> samples =
                YAML.matcher(page).results().map(match -> match.group(1)).toList();
        assertThat(samples).hasSizeGreaterThanOrEqualTo(2);
        return Stream.concat(
                        samples.stream(),
                        Stream.of(
                                Files.readString(EXAMPLES.resolve("envoy.yaml")),
                                Files.readString(EXAMPLES.resolve("rules.yaml")),
                                Files.readString(EXAMPLES.resolve("limits/shop.yaml"))))
                .map(sample ->
                        DynamicTest.dynamicTest(sample.lines().findFirst().orElse(""), () -> read(sample)));
    }

    private static void read(String yaml) throws Exception {
        Object document = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        Map<?, ?> fields = (Map<?, ?>) Objects.requireNonNull(document);
        if (fields.containsKey("rules")) {
            assertThat(RuleFile.parse("sample.yaml", yaml).rules()).isNotEmpty();
        } else if (fields.containsKey("domain")) {
            assertThat(EnvoyConfig.parse(Map.of("sample.yaml", yaml)).domains()).hasSize(1);
        } else if (fields.containsKey("static_resources")) {
            assertThat(message(fields, Bootstrap.newBuilder())
                            .getStaticResources()
                            .getClustersCount())
                    .isEqualTo(2);
        } else {
            assertThat(message(fields, HttpConnectionManager.newBuilder()).getHttpFiltersCount())
                    .isEqualTo(1);
        }
    }

    /** As Envoy reads it: every field known, every type right. */
    private static <T extends Message.Builder> T message(Map<?, ?> fields, T builder) throws Exception {
        TypeRegistry types = TypeRegistry.newBuilder()
                .add(HttpConnectionManager.getDescriptor())
                .add(RateLimit.getDescriptor())
                .add(Router.getDescriptor())
                .add(HttpProtocolOptions.getDescriptor())
                .build();
        JsonFormat.parser().usingTypeRegistry(types).merge(json(fields), builder);
        return builder;
    }

    @SuppressWarnings("unchecked")
    private static String json(Map<?, ?> fields) {
        return new JsonObject((Map<String, Object>) fields).encode();
    }

    /** The descriptors that the Envoy of the example sends. */
    @Test
    void bothKindsOfFilesLimitWhatTheExampleSends() throws Exception {
        clock.to("1");
        Store store = Store.local(clock);
        RuleEngine engine = new RuleEngine(store, RuleFile.read(EXAMPLES.resolve("rules.yaml")));
        limits(new RuleLimits(engine, new WindowCounter.Factory(store, OnFailure.LOCAL), null));
        limits(new EnvoyLimits(
                Store.local(clock), OnFailure.LOCAL, EnvoyConfig.read(EXAMPLES.resolve("limits")), clock::micros));
    }

    private static void limits(RateLimitService.Decider limits) {
        assertThat(ask(limits, "path=/login,remote_address=203.0.113.9 x5")).startsWith("OK: 0/5 MINUTE");
        assertThat(ask(limits, "path=/login,remote_address=203.0.113.9")).startsWith("OVER_LIMIT: 0/5 MINUTE");
        assertThat(ask(limits, "path=/login,remote_address=203.0.113.8")).startsWith("OK: 4/5 MINUTE");
        assertThat(ask(limits, "remote_address=203.0.113.7 x101")).startsWith("OVER_LIMIT: ");
        assertThat(ask(limits, "api_key=k")).startsWith("OK: ");
        assertThat(ask(limits, "api_key=partner-1 x1000000")).startsWith("OK: ");
    }

    private static String ask(RateLimitService.Decider limits, String descriptor) {
        RateLimitRequest request = RateLimitRequest.newBuilder()
                .setDomain("shop")
                .addDescriptors(Trace.descriptor(descriptor))
                .build();
        return Trace.show(
                RateLimitResponses.of(request, limits.decide(request).join().results()));
    }

    @Test
    void aRefusalLooksAsThePageSays() throws Exception {
        String text = """
                # The limits of the shop, and two mistakes.
                domain: shop
                descriptors:
                  - key: path
                    value: /login
                    descriptors:
                      - key: remote_address
                        rate_limit:
                          unit: fortnight
                          requests_per_unit: 5

                  - key: remote_address
                    value: 203.0.113.9
                    shadowmode: true
                """;
        EnvoyConfigException refusal = catchThrowableOfType(
                EnvoyConfigException.class, () -> EnvoyConfig.parse(Map.of("limits/shop.yaml", text)));
        assertThat(Files.readString(PAGE))
                .contains(String.join("\n", Objects.requireNonNull(refusal).problems()));
    }
}
