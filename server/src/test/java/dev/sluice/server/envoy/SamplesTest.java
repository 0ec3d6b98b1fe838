package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.server.envoy.file.EnvoyConfig;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every sample in the documentation of envoyproxy/ratelimit, and what it says of them, asked over gRPC. */
final class SamplesTest {
    private static @Nullable RlsServer server;
    private static volatile @Nullable EnvoyLimits current;

    private final Clock clock = new Clock();
    private final List<String> metrics = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        server = new RlsServer(request -> Objects.requireNonNull(current).decide(request));
    }

    @AfterAll
    static void stop() {
        Objects.requireNonNull(server).close();
    }

    @Test
    void example1() throws Exception {
        check("mongo_cps", """
                0    | database=users x499   | OK: 1/500 SECOND 1s
                0    | database=users        | OK: 0/500 SECOND 1s
                0    | database=users        | OVER_LIMIT: 0/500 SECOND 1s
                0    | database=default      | OK: 499/500 SECOND 1s
                0    | database=other        | OK: -
                0.9  | database=users        | OVER_LIMIT: 0/500 SECOND 1s
                1    | database=users        | OK: 499/500 SECOND 1s
                """);
    }

    @Test
    void example2() throws Exception {
        check("messaging", """
                0      | message_type=marketing,to_number=2061111111 ; to_number=2061111111    | OK: 4/5 DAY 86400s, 99/100 DAY 86400s
                3600   | message_type=marketing,to_number=2061111111 x4 ; to_number=2061111111 | OK: 0/5 DAY 82800s, 98/100 DAY 82800s
                3600   | message_type=marketing,to_number=2061111111 ; to_number=2061111111    | OVER_LIMIT: 0/5 DAY 82800s, OK 97/100 DAY 82800s
                3600   | message_type=marketing,to_number=2062222222                           | OK: 4/5 DAY 82800s
                3600   | message_type=marketing                                                | OK: -
                3600   | to_number=2061111111 x97                                              | OK: 0/100 DAY 82800s
                3600   | to_number=2061111111                                                  | OVER_LIMIT: 0/100 DAY 82800s
                86400  | message_type=marketing,to_number=2061111111 ; to_number=2061111111    | OK: 4/5 DAY 86400s, 99/100 DAY 86400s
                """);
    }

    @Test
    void example3() throws Exception {
        check("edge_proxy_per_ip", """
                0    | remote_address=50.0.0.1 x10  | OK: 0/10 SECOND 1s
                0    | remote_address=50.0.0.1      | OVER_LIMIT: 0/10 SECOND 1s
                0    | remote_address=50.0.0.2      | OK: 9/10 SECOND 1s
                0    | remote_address=50.0.0.5      | OVER_LIMIT: 0/0 SECOND 1s
                5    | remote_address=50.0.0.5      | OVER_LIMIT: 0/0 SECOND 1s
                """);
    }

    @Test
    void example4() throws Exception {
        check("example4", """
                0    | key=value,subkey=subvalue    | OK: -
                0    | key=value                    | OK: 299/300 SECOND 1s
                """);
        check("example4", "example4-2.yaml", """
                0    | key=value,subkey=subvalue    | OK: 299/300 SECOND 1s
                0    | key=value,subkey=another     | OK: 299/300 SECOND 1s
                0    | key=value                    | OK: -
                """);
    }

    @Test
    void example5() throws Exception {
        check("internal", """
                0    | ldap=any x4000000000         | OK: 4294967295
                0    | ldap=any                     | OK: 4294967295
                0    | azure=any x100               | OK: 0/100 MINUTE 60s
                59   | azure=any ; ldap=any         | OVER_LIMIT: 0/100 MINUTE 1s, OK 4294967295
                59   | unknown=any                  | OK: -
                """);
    }

    @Test
    void example6() throws Exception {
        check("example6", """
                0    | service=auth-service,user=user-a x10   | OK: 0/10 SECOND 1s
                0    | service=auth-service,user=user-a x10   | OK: 0/10 SECOND 1s
                0    | service=auth-service,user=user-b x20   | OK: 0/20 SECOND 1s
                0    | service=auth-service,user=user-b       | OVER_LIMIT: 0/20 SECOND 1s
                0    | service=other,user=user-b              | OK: 19/20 SECOND 1s
                """);
        assertThat(metrics)
                .containsExactly(
                        "example6.service.user_user-a +10 WITHIN_LIMIT",
                        "example6.service.user_user-a +10 SHADOWED",
                        "example6.service.user_user-b +20 WITHIN_LIMIT",
                        "example6.service.user_user-b +1 OVER_LIMIT",
                        "example6.service.user_user-b +1 WITHIN_LIMIT");
    }

    @Test
    void example7() throws Exception {
        check("example7", """
                0    | key_1=value_1,user=bkthomps x5                                | OK: 0/5 SECOND 1s
                0    | key_1=value_1,user=bkthomps                                   | OVER_LIMIT: 0/5 SECOND 1s
                0    | key_1=value_1,user=bkthomps ; key_2=value_2,user=bkthomps     | OK: -, 9/10 SECOND 1s
                1    | key_1=value_1,user=bkthomps ; key_2=value_2,user=bkthomps x10 | OK: -, 0/10 SECOND 1s
                1    | key_1=value_1,user=bkthomps ; key_2=value_2,user=bkthomps     | OVER_LIMIT: OK -, 0/10 SECOND 1s
                1    | key_1=value_1,user=bkthomps                                   | OK: 4/5 SECOND 1s
                """);
    }

    @Test
    void example8() throws Exception {
        check("example8", """
                0    | key1=unspecified_value x10   | OK: 0/10 MINUTE 60s
                0    | key1=unspecified_value       | OVER_LIMIT: 0/10 MINUTE 60s
                0    | key1=unspecified_value2      | OK: 9/10 MINUTE 60s
                0    | key1=value1                  | OK: 19/20 MINUTE 60s
                """);
        assertThat(metrics)
                .containsExactly(
                        "example8.key1_unspecified_value +10 WITHIN_LIMIT",
                        "example8.key1_unspecified_value +1 OVER_LIMIT",
                        "example8.key1_unspecified_value2 +1 WITHIN_LIMIT",
                        "example8.key1_value1 +1 WITHIN_LIMIT");
    }

    @Test
    void example9() throws Exception {
        check("example9", """
                0    | key1=value1 x20              | OK: 0/20 MINUTE 60s
                0    | key1=value1                  | OVER_LIMIT: 0/20 MINUTE 60s
                0    | key1=valueXYZ                | OK: 19/20 MINUTE 60s
                0    | key1=value                   | OK: 19/20 MINUTE 60s
                0    | key1=other                   | OK: -
                """);
        check("example9", "example9-2.yaml", """
                0    | path=/api/123/action         | OK: 19/20 MINUTE 60s
                0    | path=/api/user-id/action     | OK: 19/20 MINUTE 60s
                0    | path=/api/123/other          | OK: -
                0    | path=/api/action             | OK: -
                """);
        check("example9", "example9-3.yaml", """
                0    | route=/api/v1/resource/123/action   | OK: 19/20 MINUTE 60s
                0    | route=/api/v2/resource/456/action   | OK: 19/20 MINUTE 60s
                0    | route=/api/v2/action/resource/456   | OK: -
                """);
    }

    @Test
    void example10() throws Exception {
        check("example10", """
                0    | route=api,http_method=GET,subject_id=123     | OK: 59/60 MINUTE 60s
                0    | route=web,http_method=POST,subject_id=456    | OK: 59/60 MINUTE 60s
                0    | route=api,http_method=GET,subject_id=123     | OK: 58/60 MINUTE 60s
                """);
        check("example10_wildcard", """
                0    | user=alice,action=readfile,resource=documents  | OK: 99/100 MINUTE 60s
                0    | user=alice,action=write,resource=documents     | OK: -
                """);
        assertThat(metrics)
                .containsExactly(
                        "example10.route_api.http_method_GET.subject_id +1 WITHIN_LIMIT",
                        "example10.route_web.http_method_POST.subject_id +1 WITHIN_LIMIT",
                        "example10.route_api.http_method_GET.subject_id +1 WITHIN_LIMIT",
                        "example10_wildcard.user_alice.action_readfile.resource +1 WITHIN_LIMIT");
    }

    @Test
    void example11() throws Exception {
        check("example11", """
                0    | files=files/a.pdf x5                     | OK: 5/10 HOUR 3600s
                0    | files=files/b.csv x5                     | OK: 0/10 HOUR 3600s
                0    | files=files/c.txt                        | OVER_LIMIT: 0/10 HOUR 3600s
                0    | files_no_share=files_no_share/a.pdf x10  | OK: 0/10 HOUR 3600s
                0    | files_no_share=files_no_share/a.pdf      | OVER_LIMIT: 0/10 HOUR 3600s
                0    | files_no_share=files_no_share/b.csv      | OK: 9/10 HOUR 3600s
                """);
        metrics.clear();
        check("example11_metrics", """
                0    | route=api/v1,method=GET   | OK: 59/60 MINUTE 60s
                0    | route=api/v2,method=GET   | OK: 58/60 MINUTE 60s
                0    | route=api/v2,method=PUT   | OK: 59/60 MINUTE 60s
                """);
        assertThat(metrics).allMatch(metric -> metric.startsWith("example11_metrics.route_api/*.method +1"));
    }

    /** The rest of the example that comes with its docker-compose, as its integration tests use it. */
    @Test
    void quotasAndTokens() throws Exception {
        check("rl", """
                0    | service=service_1 ; service=service_2        | OK: 0/1 MINUTE 60s, 1/2 MINUTE 60s
                0    | service=service_1 ; service=service_2        | OK: OVER_LIMIT 0/1 MINUTE 60s, 0/2 MINUTE 60s
                0    | service=service_1 ; service=service_2        | OVER_LIMIT: 0/1 MINUTE 60s, 0/2 MINUTE 60s
                60   | service=service_2 x0                         | OK: 2/2 MINUTE 60s
                60   | service=service_2                            | OK: 1/2 MINUTE 60s
                60   | service=service_2 x0                         | OK: 1/2 MINUTE 60s
                60   | service=service_2                            | OK: 0/2 MINUTE 60s
                60   | service=service_2 x0                         | OK: 0/2 MINUTE 60s
                60   | service=service_2                            | OVER_LIMIT: 0/2 MINUTE 60s
                60   | service=service_2 x0                         | OVER_LIMIT: 0/2 MINUTE 60s
                120  | service=service_2 x500                       | OVER_LIMIT: 0/2 MINUTE 60s
                120  | service=service_2 x0                         | OVER_LIMIT: 0/2 MINUTE 60s
                180  | service=service_2 x0                         | OK: 2/2 MINUTE 60s
                """);
    }

    @Test
    void replacedLimits() throws Exception {
        check("rl", """
                0    | foo=bk,bar=banned                                                                            | OVER_LIMIT: 0/0 MINUTE 60s
                0    | foo=bk,bar=banned ; source_cluster=proxy,destination_cluster=mock                            | OVER_LIMIT: 0/0 MINUTE 60s, OK 0/1 MINUTE 60s
                0    | foo=bk,bar=banned ; source_cluster=proxy,destination_cluster=override                        | OK: -, 1/2 MINUTE 60s
                0    | foo=bk,bar=banned ; source_cluster=proxy,destination_cluster=override                        | OK: -, 0/2 MINUTE 60s
                0    | foo=bk,bar=banned ; source_cluster=proxy,destination_cluster=override                        | OVER_LIMIT: OK -, 0/2 MINUTE 60s
                0    | foo=my,bar=bkthomps ; source_cluster=proxy,destination_cluster=fake ; category=account x4    | OK: -, -, 0/4 MINUTE 60s
                0    | foo=my,bar=bkthomps ; source_cluster=proxy,destination_cluster=fake ; category=account       | OVER_LIMIT: OK -, OK -, 0/4 MINUTE 60s
                0    | foo=my,bar=bkthomps                                                                          | OK: 0/1 MINUTE 60s
                0    | foo=my,baz=shady x4                                                                          | OK: 0/3 MINUTE 60s
                0    | foo=my,baz=not-so-shady x4                                                                   | OVER_LIMIT: 0/3 MINUTE 60s
                0    | foo=my,bay=any                                                                               | OK: 4294967295
                """);
    }

    private void check(String domain, String table) throws Exception {
        check(domain, domain + ".yaml", table);
    }

    private void check(String domain, String file, String table) throws Exception {
        EnvoyLimits limits = new EnvoyLimits(
                Store.local(clock), OnFailure.LOCAL, EnvoyConfig.parse(Map.of(file, sample(file))), clock::micros);
        limits.listener(new RateLimitListener() {
            @Override
            public void counted(DescriptorHits hits) {
                String result = !hits.isOver()
                        ? "WITHIN_LIMIT"
                        : hits.mode() == DescriptorHits.Mode.SHADOW ? "SHADOWED" : "OVER_LIMIT";
                metrics.add(hits.path().domain() + "." + hits.detailed() + " +" + hits.hits() + " " + result);
            }

            @Override
            public void unmatched() {}
        });
        current = limits;
        Trace.check(Objects.requireNonNull(server), clock, domain, table);
    }

    static String sample(String file) throws Exception {
        try (InputStream in = SamplesTest.class.getResourceAsStream("samples/" + file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
