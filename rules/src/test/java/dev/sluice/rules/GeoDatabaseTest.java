package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class GeoDatabaseTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        new TinyGeoFile("country")
                .put("203.0.113.0/24", "DE")
                .put("198.51.100.0/25", "FR")
                .put("2001:db8::/32", "JP")
                .write(folder.resolve("geo.mmdb"));
    }

    @Test
    void knowsTheCountryOfAnAddress() throws IOException {
        GeoDatabase geo = GeoDatabase.open(folder.resolve("geo.mmdb"));
        assertThat(geo.region("203.0.113.9")).isEqualTo("DE");
        assertThat(geo.region("198.51.100.127")).isEqualTo("FR");
        assertThat(geo.region("198.51.100.128")).isNull();
        assertThat(geo.region("2001:db8::1")).isEqualTo("JP");
        assertThat(geo.region("2001:db9::1")).isNull();
        assertThat(geo.region("localhost")).isNull();
    }

    @Test
    void orWhereItIsRegistered() throws IOException {
        Path file =
                new TinyGeoFile("registered_country").put("10.0.0.0/8", "US").write(folder.resolve("other.mmdb"));
        assertThat(GeoDatabase.open(file).region("10.1.2.3")).isEqualTo("US");
    }

    @Test
    void rulesAskForTheRegion() throws IOException {
        Path file = folder.resolve("rules.yaml");
        Files.writeString(file, """
                geo-database: geo.mmdb
                rules:
                  - { name: germany, when: { region: DE }, limits: [1 per 1m] }
                  - { name: regions, key: [region], limits: [2 per 1m] }
                """);
        RuleEngine engine = new RuleEngine(Store.local(() -> 0), RuleFile.read(file));
        assertThat(engine.check(request("ip", "203.0.113.9")).join().decisions())
                .hasSize(2);
        assertThat(engine.check(request("ip", "203.0.113.10")).join().allowed()).isFalse();
        assertThat(engine.check(request("ip", "198.51.100.1")).join().decisions())
                .extracting(RuleDecision::key)
                .containsExactly("FR");
        assertThat(engine.check(request("ip", "192.0.2.1")).join().decisions()).isEmpty();
        assertThat(engine.check(Request.of(Map.of("ip", "192.0.2.1", "region", "FR"), 1))
                        .join()
                        .decisions())
                .extracting(RuleDecision::key)
                .containsExactly("FR");
        assertThat(engine.check(request("user", "a")).join().decisions()).isEmpty();
        assertThat(engine.explain(request("ip", "203.0.113.10"))
                        .join()
                        .verdict()
                        .allowed())
                .isFalse();
    }

    @Test
    void aFileThatIsNoneIsRefused() throws IOException {
        Files.writeString(folder.resolve("bad.mmdb"), "not a database");
        String file = folder.resolve("rules.yaml").toString();
        assertThatThrownBy(() -> RuleFile.parse(file, "geo-database: bad.mmdb\nrules: []"))
                .isInstanceOf(RuleFileException.class)
                .hasMessageStartingWith(file + ":1:15: geo-database: not a MaxMind database file: ");
        assertThatThrownBy(() -> RuleFile.parse(file, "geo-database: ''\nrules: []"))
                .isInstanceOf(RuleFileException.class);
    }

    /** Reading one of them would never end, or fill the memory. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFileThatDoesNotEndIsRefused() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path huge = folder.resolve("huge.mmdb");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        Path empty = Files.createFile(folder.resolve("empty.mmdb"));
        Path zeros = Files.write(folder.resolve("zeros.mmdb"), new byte[10 << 20]);
        assertThat(refusal("/dev/zero")).isEqualTo("not a regular file");
        assertThat(refusal(pipe.toString())).isEqualTo("not a regular file");
        assertThat(refusal(folder.toString())).isEqualTo("not a regular file, but a folder");
        assertThat(refusal(huge.toString())).startsWith("too large: 1099511627776 bytes, at most ");
        assertThat(refusal(empty.toString())).isEqualTo("it has no metadata of MaxMind at its end");
        assertThat(refusal(zeros.toString())).isEqualTo("it has no metadata of MaxMind at its end");
    }

    private String refusal(String database) {
        RuleFileException refused = catchThrowableOfType(
                RuleFileException.class, () -> RuleFile.parse("x", "geo-database: " + database + "\nrules: []"));
        return refused.problems().get(0).message().replace("not a MaxMind database file: ", "");
    }

    private static Request request(String name, String value) {
        return Request.of(Map.of(name, value), 1);
    }
}
