package dev.sluice.server.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.Request;
import dev.sluice.rules.match.Address;
import dev.sluice.rules.match.Attributes;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Says which clients are in the sample, and hashes what is not to be recorded as it is, both by a secret key.
 *
 * <p><b>How is it designed, and why?</b> A sample of requests would show a tenth of what each client does, and no limit
 * would be reached in a replay. So the sample is one of clients: of some everything, of the others nothing. A client is
 * its address, grouped as the keys of rules group it; without an address it is its user, and without either it is always
 * recorded.
 *
 * <p>The hash of an address is an address again, since rules group, compare and check addresses. It lies in
 * {@code 3fff::/20}, which is for documentation, so that no rule names it. Those of one {@code /64} stay in one.
 *
 * <pre>
 *   203.0.113.9        3fff:XXXX:XXXX:XXXX::                      44 bits from the address
 *   2001:db8:1:2::5    3fff:YYYY:YYYY:YYYY:ZZZZ:ZZZZ:ZZZZ:ZZZZ    44 from the /64, 64 from the address
 * </pre>
 */
final class ClientHash {
    private static final String USER = "user";
    private static final long DOCUMENTATION = 0x3fff_0000_0000_0000L;
    private static final int BITS_LEFT = 44;

    private final SipHash hash;
    private final long share;

    ClientHash(@Nullable String key, int shareMillionths) {
        ByteBuffer bytes = ByteBuffer.wrap(key == null ? random() : digest(key));
        this.hash = new SipHash(bytes.getLong(), bytes.getLong());
        this.share = shareMillionths;
    }

    private static byte[] random() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Whether the client of a request is in the sample. */
    boolean isSampled(Request request) {
        if (share == RecorderSettings.EVERYBODY) {
            return true;
        }
        String ip = request.attribute(Attributes.IP);
        String client = ip == null ? request.attribute(USER) : ip;
        if (client == null) {
            return true;
        }
        long of = ip == null ? hash.of(client) : network(client);
        return Math.floorMod(of, RecorderSettings.EVERYBODY) < share;
    }

    /** The hash of an address of version 4, or of the network of one of version 6. */
    private long network(String ip) {
        Address address = ip.indexOf(':') < 0 ? null : Address.parse(ip);
        if (address == null) {
            return hash.of(ip);
        }
        Address embedded = address.embeddedV4();
        return embedded == null ? hash.of(address.high()) : hash.of(embedded.toString());
    }

    /** What is recorded in place of a value. */
    String of(String attribute, String value) {
        if (!attribute.equals(Attributes.IP)) {
            return HexFormat.of().toHexDigits(hash.of(value));
        }
        if (value.equals(Attributes.INVALID_IP)) {
            return value;
        }
        Address address = Address.parse(value);
        boolean one = address == null || address.isV4() || address.embeddedV4() != null;
        long high = DOCUMENTATION | network(value) >>> (Long.SIZE - BITS_LEFT);
        return new Address(high, one ? 0 : hash.of(value)).toString();
    }

    /** Stands for the rest of a value that is too long. */
    String ofRest(String value) {
        return HexFormat.of().toHexDigits(hash.of(value));
    }
}
