package dev.sluice.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.match.Address;
import dev.sluice.rules.match.Network;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a database file in MaxMind's format, as small as it can be: a country for some networks. */
final class TinyGeoFile {
    private static final byte[] MARKER = {(byte) 0xAB, (byte) 0xCD, (byte) 0xEF};
    private static final int SEPARATOR = 16;

    private static final class Fork {
        final @Nullable Fork[] next = new @Nullable Fork[2];

        @Nullable
        String country;
    }

    private final Fork root = new Fork();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final Map<String, Integer> offsets = new LinkedHashMap<>();
    private final String field;

    /** With the country under {@code field}. */
    TinyGeoFile(String field) {
        this.field = field;
    }

    /** A network of version 4, which such files keep under {@code ::/96}, or of version 6. */
    TinyGeoFile put(String network, String country) {
        Network parsed = Objects.requireNonNull(Network.parse(network));
        Address first = parsed.first().isV4() ? new Address(0, parsed.first().low() & 0xFFFFFFFFL) : parsed.first();
        Fork fork = root;
        for (int i = 0; i < parsed.bits(); i++) {
            Fork next = fork.next[bit(first, i)];
            if (next == null) {
                next = new Fork();
                fork.next[bit(first, i)] = next;
            }
            fork = next;
        }
        fork.country = country;
        return this;
    }

    private static int bit(Address address, int index) {
        return (int) ((index < 64 ? address.high() >>> (63 - index) : address.low() >>> (127 - index)) & 1);
    }

    Path write(Path file) throws IOException {
        List<Fork> forks = new ArrayList<>();
        number(root, forks);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Fork fork : forks) {
            for (Fork next : fork.next) {
                int value = next == null ? forks.size() : value(next, forks);
                all.write(value >> 16);
                all.write(value >> 8);
                all.write(value);
            }
        }
        all.write(new byte[SEPARATOR]);
        all.write(data.toByteArray());
        all.write(MARKER);
        all.write("MaxMind.com".getBytes(UTF_8));
        all.write(metadata(forks.size()));
        return Files.write(file, all.toByteArray());
    }

    private static void number(Fork fork, List<Fork> forks) {
        if (fork.country == null) {
            forks.add(fork);
            for (Fork next : fork.next) {
                if (next != null) {
                    number(next, forks);
                }
            }
        }
    }

    private int value(Fork fork, List<Fork> forks) {
        String country = fork.country;
        if (country == null) {
            return forks.indexOf(fork);
        }
        int offset = offsets.computeIfAbsent(country, unseen -> {
            int here = data.size();
            data.writeBytes(map(1));
            data.writeBytes(text(field));
            data.writeBytes(map(1));
            data.writeBytes(text("iso_code"));
            data.writeBytes(text(unseen));
            return here;
        });
        return forks.size() + SEPARATOR + offset;
    }

    private static byte[] metadata(int forks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(map(9));
        Map<String, byte[]> fields = new LinkedHashMap<>();
        fields.put("node_count", new byte[] {(byte) 0xC4, 0, 0, (byte) (forks >> 8), (byte) forks});
        fields.put("record_size", new byte[] {(byte) 0xA1, 24});
        fields.put("ip_version", new byte[] {(byte) 0xA1, 6});
        fields.put("database_type", text("Test-Country"));
        fields.put("languages", new byte[] {0, 4});
        fields.put("binary_format_major_version", new byte[] {(byte) 0xA1, 2});
        fields.put("binary_format_minor_version", new byte[] {(byte) 0xA0});
        fields.put("build_epoch", new byte[] {1, 2, 1});
        fields.put("description", map(0));
        fields.forEach((name, value) -> {
            out.writeBytes(text(name));
            out.writeBytes(value);
        });
        return out.toByteArray();
    }

    private static byte[] map(int size) {
        return new byte[] {(byte) (7 << 5 | size)};
    }

    private static byte[] text(String text) {
        byte[] bytes = new byte[text.length() + 1];
        bytes[0] = (byte) (2 << 5 | text.length());
        System.arraycopy(text.getBytes(UTF_8), 0, bytes, 1, text.length());
        return bytes;
    }
}
