package dev.sluice.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class IndexTest {
    private static final List<String> PATHS =
            List.of("/", "/a", "/a/b", "/a/b/c", "/b", "/b/a", "/login", "/log", "/a/x.html", "/x.html");
    private static final List<String> GLOBS =
            List.of("/a/**", "/a/*", "/**", "*.html", "/*/b", "/lo*", "**", "/a/**/c", "/b/**", "*", "/?", "**l");
    private static final List<String> IPS =
            List.of("10.0.0.1", "10.0.1.1", "10.1.1.1", "192.0.2.1", "2001:db8::1", "2001:db8:1::1", "nonsense");
    private static final List<String> NETWORKS = List.of(
            "10.0.0.0/8",
            "10.0.0.0/16",
            "10.0.0.0/24",
            "10.0.0.1",
            "0.0.0.0/0",
            "::/0",
            "2001:db8::/32",
            "2001:db8::/48");
    private static final List<String> USERS = List.of("a", "b", "c", "d");

    @Test
    void findsWhatComparingAllOfThemFinds() {
        Random random = new Random(5);
        for (int round = 0; round < 150; round++) {
            List<List<Condition>> sets = new ArrayList<>();
            for (int i = random.nextInt(60); i >= 0; i--) {
                sets.add(conditions(random));
            }
            Index index = Index.of(sets);
            for (int i = 0; i < 40; i++) {
                Request request = request(random);
                assertThat(found(index.find(request)))
                        .as("%s of %s", request, sets)
                        .isEqualTo(naive(sets, request));
            }
        }
    }

    private static List<Condition> conditions(Random random) {
        List<Condition> conditions = new ArrayList<>();
        add(conditions, "path", random, PATHS, GLOBS);
        add(conditions, "ip", random, NETWORKS, NETWORKS);
        add(conditions, "user", random, USERS, USERS);
        add(conditions, "method", random, List.of("GET", "POST"), List.of("P*", "G?T"));
        return conditions;
    }

    private static void add(
            List<Condition> conditions, String attribute, Random random, List<String> plain, List<String> wild) {
        if (random.nextInt(3) == 0) {
            List<Pattern> any = patterns(attribute, random, plain, wild);
            List<Pattern> none = random.nextInt(4) == 0 ? patterns(attribute, random, plain, wild) : List.of();
            boolean negative = !none.isEmpty() && random.nextBoolean();
            conditions.add(new Condition(attribute, negative ? List.of() : any, none));
        }
    }

    private static List<Pattern> patterns(String attribute, Random random, List<String> plain, List<String> wild) {
        List<Pattern> patterns = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            patterns.add(Pattern.parse(attribute, one(random, random.nextBoolean() ? plain : wild)));
        }
        return patterns;
    }

    private static Request request(Random random) {
        Map<String, String> attributes = new LinkedHashMap<>();
        Map.of("path", PATHS, "ip", IPS, "user", USERS, "method", List.of("GET", "POST", "PUT"))
                .forEach((name, values) -> {
                    if (random.nextInt(5) > 0) {
                        attributes.put(name, one(random, values));
                    }
                });
        return Request.of(attributes, 1);
    }

    private static String one(Random random, List<String> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static List<Integer> naive(List<List<Condition>> sets, Request request) {
        return IntStream.range(0, sets.size())
                .filter(i -> sets.get(i).stream()
                        .allMatch(condition -> condition.matches(request.attribute(condition.attribute()))))
                .boxed()
                .toList();
    }

    private static List<Integer> found(Matches matches) {
        return IntStream.range(0, matches.count()).map(matches::get).boxed().toList();
    }

    // ---- How many are compared, of ten thousand

    @Test
    void ofManyUsersOne() {
        costsFew(
                i -> List.of(Condition.is("method", "POST"), Condition.is("user", "u" + i)),
                i -> Map.of("method", "POST", "user", "u" + i));
    }

    @Test
    void ofManyPathsOne() {
        costsFew(
                i -> List.of(Condition.anyOf("path", "/service-" + i + "/**"), Condition.is("method", "POST")),
                i -> Map.of("method", "POST", "path", "/service-" + i + "/x"));
    }

    @Test
    void ofManyHostsOne() {
        costsFew(
                i -> List.of(Condition.anyOf("host", "*.h" + i + ".example.com")),
                i -> Map.of("host", "www.h" + i + ".example.com"));
    }

    @Test
    void ofManyNetworksOne() {
        costsFew(
                i -> List.of(Condition.anyOf("ip", "10." + i / 256 + "." + i % 256 + ".0/24")),
                i -> Map.of("ip", "10." + i / 256 + "." + i % 256 + ".7"));
    }

    @Test
    void ofManyPairsOne() {
        costsFew(
                i -> List.of(Condition.is("user", "u" + i / 100), Condition.is("device", "d" + i % 100)),
                i -> Map.of("user", "u" + i / 100, "device", "d" + i % 100));
    }

    @Test
    void ofManyEndingsOne() {
        costsFew(i -> List.of(Condition.anyOf("path", "/api/*/e" + i)), i -> Map.of("path", "/api/x/e" + i));
    }

    private static void costsFew(IntFunction<List<Condition>> rule, IntFunction<Map<String, String>> request) {
        Index index = Index.of(IntStream.range(0, 10_000).mapToObj(rule).toList());
        for (int i = 0; i < 10_000; i += 97) {
            Matches matches = index.find(Request.of(request.apply(i), 1));
            assertThat(found(matches)).containsExactly(i);
            assertThat(matches.comparisons()).isLessThanOrEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 10_000})
    void theCostDoesNotGrowWithTheRules(int rules) {
        List<List<Condition>> sets = new ArrayList<>();
        sets.add(List.of());
        sets.add(List.of(Condition.is("path", "/login"), Condition.is("method", "POST")));
        for (int i = sets.size(); i < rules; i++) {
            sets.add(List.of(
                    Condition.anyOf("path", "/p" + i, "/q" + i + "/**"), Condition.anyOf("method", "GET", "PUT")));
        }
        Matches matches = Index.of(sets).find(Request.of(Map.of("path", "/login", "method", "POST"), 1));
        assertThat(found(matches)).containsExactly(0, 1);
        assertThat(matches.comparisons()).isEqualTo(2);
    }

    @Test
    void longListsAreComparedByLookUp() {
        String[] users = IntStream.range(0, 20_000).mapToObj(i -> "u" + i).toArray(String[]::new);
        String[] networks = IntStream.range(0, 20_000)
                .mapToObj(i -> "10." + i / 256 + "." + i % 256 + ".0/24")
                .toArray(String[]::new);
        Condition listed = Condition.anyOf("user", users);
        Condition unlisted =
                new Condition("ip", List.of(), Condition.anyOf("ip", networks).any());
        Index index = Index.of(List.of(List.of(listed), List.of(unlisted), List.of(listed, unlisted)));
        assertThat(found(index.find(Request.of(Map.of("user", "u19999", "ip", "192.0.2.1"), 1))))
                .containsExactly(0, 1, 2);
        assertThat(found(index.find(Request.of(Map.of("user", "u20000", "ip", "10.3.4.5"), 1))))
                .isEmpty();
    }
}
