package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.match.Network;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Proxies in 10.0.0.0/8 and on ::1 are trusted; clients write what they like. */
class ClientAddressTest {
    private static final TrustedProxies TRUSTED = new TrustedProxies(Stream.of("10.0.0.0/8", "::1")
            .map(text -> Objects.requireNonNull(Network.parse(text)))
            .toList());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                // peer | X-Forwarded-For | the client
                "203.0.113.9 | - | 203.0.113.9",
                "203.0.113.9 | 198.51.100.1 | 203.0.113.9",
                "203.0.113.9 | 10.0.0.1, 198.51.100.1 | 203.0.113.9",
                "10.0.0.1 | - | 10.0.0.1",
                "10.0.0.1 | 198.51.100.1 | 198.51.100.1",
                "10.0.0.1 | 1.1.1.1, 198.51.100.1 | 198.51.100.1",
                "10.0.0.1 | 198.51.100.1, 10.0.0.2 | 198.51.100.1",
                "10.0.0.1 | 1.1.1.1, 198.51.100.1, 10.0.0.2, 10.0.0.3 | 198.51.100.1",
                "10.0.0.1 | 127.0.0.1, 198.51.100.1 | 198.51.100.1",
                "10.0.0.1 | 10.0.0.9 | 10.0.0.9",
                "10.0.0.1 | 10.0.0.8, 10.0.0.9 | 10.0.0.8",
                "10.0.0.1 | 198.51.100.1, unknown | 10.0.0.1",
                "10.0.0.1 | 198.51.100.1, | 10.0.0.1",
                "10.0.0.1 | ' ' | 10.0.0.1",
                "10.0.0.1 | unknown, 198.51.100.1 | 198.51.100.1",
                "10.0.0.1 | 198.51.100.1, 10.0.0.2, _hidden, 10.0.0.3 | 10.0.0.3",
                "10.0.0.1 | 198.51.100.1:4711 | 198.51.100.1",
                "10.0.0.1 | [2001:db8::1]:4711 | 2001:db8::1",
                "10.0.0.1 | 2001:DB8:0::1 | 2001:db8::1",
                "::ffff:10.0.0.1 | ::ffff:198.51.100.1 | 198.51.100.1",
                "[::1]:8080 | 198.51.100.1 | 198.51.100.1",
                "/run/app.sock | 198.51.100.1 | /run/app.sock",
                "10.0.0.1 | 198.51.100.1 evil | 10.0.0.1",
                "10.0.0.1 | 0x7f.0.0.1 | 10.0.0.1",
                "10.0.0.1 | localhost | 10.0.0.1"
            })
    void theFirstAddressFromTheRightThatIsNotTrusted(
            String peer, @org.jspecify.annotations.Nullable String header, String client) {
        List<String> headers = header == null ? List.of() : List.of(header);
        assertThat(ClientAddress.of(TRUSTED, peer, headers)).isEqualTo(client);
    }

    @Test
    void severalHeadersAreOneList() {
        assertThat(ClientAddress.of(TRUSTED, "10.0.0.1", List.of("1.1.1.1", "198.51.100.1, 10.0.0.2", "10.0.0.3")))
                .isEqualTo("198.51.100.1");
        assertThat(ClientAddress.of(TRUSTED, "10.0.0.1", List.of("198.51.100.1", "")))
                .isEqualTo("10.0.0.1");
    }

    @Test
    void nobodyIsTrustedUnlessNamed() {
        assertThat(ClientAddress.of(TrustedProxies.NONE, "10.0.0.1", List.of("198.51.100.1")))
                .isEqualTo("10.0.0.1");
    }

    @Test
    void aVeryLongListIsNotFollowedToItsEnd() {
        String header = "198.51.100.1," + "10.0.0.2,".repeat(1_000_000) + "10.0.0.3";
        assertThat(ClientAddress.of(TRUSTED, "10.0.0.1", List.of(header))).isEqualTo("10.0.0.2");
    }
}
