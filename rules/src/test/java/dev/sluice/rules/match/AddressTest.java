package dev.sluice.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "::ffff:1.2.3.4, 1.2.3.4",
        "::ffff:102:304, 1.2.3.4",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8::1:0:0:1, 2001:db8::1:0:0:1",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "0:0:0:0:0:0:0:0, ::",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0"
    })
    void oneAddressHasOneForm(String written, String canonical) {
        assertThat(Address.parse(written)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "example.com",
                "1.2.3",
                "1.2.3.4.5",
                "256.1.1.1",
                "01.2.3.4",
                "1.2.3.4 ",
                "1.2.3.-4",
                "0x7f.1.1.1",
                "2130706433",
                ":",
                ":::",
                "1:2",
                "1::2::3",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "12345::",
                "g::",
                "::1%eth0",
                "[::1]",
                "1:",
                ":1",
                "1.2.3.4::",
                "::1.2.3",
                "1:2:3:4:5:6:7:1.2.3.4",
                "１.2.3.4"
            })
    void whatIsNoAddressIsNone(String text) {
        assertThat(Address.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4:80, 1.2.3.4",
        "[::1]:80, ::1",
        "[::1], ::1",
        "fe80::1%eth0, fe80::1",
        "[fe80::1%eth0]:80, fe80::1",
        "' 1.2.3.4 ', 1.2.3.4",
        "2001:db8::80, 2001:db8::80"
    })
    void proxiesWriteMoreThanTheAddress(String written, String canonical) {
        assertThat(Address.parseHost(written)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1.2.3.4:", "1.2.3.4:x", "1.2.3.4:123456", "[::1", "[::1]x", "[1.2.3.4]:80", "unknown", "_x"})
    void andSometimesNoAddressAtAll(String text) {
        assertThat(Address.parseHost(text)).isNull();
    }

    @Test
    void whatIsWrittenIsReadAgainAndTheJdkAgrees() throws UnknownHostException {
        Random random = new Random(4);
        for (int i = 0; i < 5_000; i++) {
            long high = random.nextLong() & mask(random) & mask(random);
            long low = random.nextLong() & mask(random) & mask(random);
            Address address = new Address(high, low);
            assertThat(Address.parse(address.toString())).isEqualTo(address);
            assertThat(InetAddress.getByName(address.toString())).isEqualTo(address.toInetAddress());
        }
    }

    private static long mask(Random random) {
        return -1L << (16 * random.nextInt(4));
    }

    @ParameterizedTest
    @CsvSource({
        "198.51.100.0/24, 198.51.100.255, true",
        "198.51.100.77/24, 198.51.100.1, true",
        "198.51.100.0/24, 198.51.101.0, false",
        "0.0.0.0/0, 8.8.8.8, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 8.8.8.8, true",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "2001:db8::/32, 2001:db9::1, false",
        "10.0.0.1, 10.0.0.1, true",
        "10.0.0.1, 10.0.0.2, false",
        "::ffff:10.0.0.0/104, 10.1.2.3, true"
    })
    void aNetworkContainsItsAddresses(String network, String address, boolean contains) {
        Network parsed = Network.parse(network);
        Address inside = Address.parse(address);
        assertThat(parsed != null && inside != null && parsed.contains(inside)).isEqualTo(contains);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::/129", "10.0.0.0/08", "/8", "a/8", "10.0.0.0/-1"})
    void whatIsNoNetworkIsNone(String text) {
        assertThat(Network.parse(text)).isNull();
    }

    /** An address of version 4 is given back as it is: only one that is canonical may be. */
    @Test
    void theCanonicalFormIsThatOfTheAddressThatIsRead() {
        String[] pieces = {
            "0", "1", "9", "10", "08", "255", "256", "1000", ".", ".", ".", ":", "::", ":80", "::ffff:", "ffff", "abcd",
            "%", "%eth0", "[", "]", " ", "\t", "-", "+", "/", ",", "x", "\u0661", "\uFF11", "\u3002", "\u00a0", "\u2003"
        };
        Random random = new Random(9);
        int addresses = 0;
        for (int i = 0; i < 300_000; i++) {
            StringBuilder text = new StringBuilder();
            if (random.nextBoolean()) {
                text.append(random.nextInt(256));
                for (int part = 0; part < 3; part++) {
                    text.append('.').append(random.nextInt(256));
                }
            }
            for (int more = random.nextInt(3); more > 0; more--) {
                text.insert(random.nextInt(text.length() + 1), pieces[random.nextInt(pieces.length)]);
            }
            Address read = Address.parseHost(text.toString());
            String canonical = Address.canonical(text.toString());
            assertThat(canonical).as("%s", text).isEqualTo(read == null ? null : read.toString());
            if (canonical != null) {
                addresses++;
                assertThat(Address.canonical(canonical)).isEqualTo(canonical);
                assertThat(Address.parse(canonical)).isEqualTo(read);
            }
            boolean plain = text.toString().matches("((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(?!$)|$)){4}");
            assertThat(AddressText.isV4(text.toString())).as("%s", text).isEqualTo(plain);
        }
        assertThat(addresses).isGreaterThan(50_000);
    }
}
