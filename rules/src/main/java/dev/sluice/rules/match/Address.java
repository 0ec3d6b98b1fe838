package dev.sluice.rules.match;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as 128 bits; version 4 as the addresses {@code ::ffff:0:0/96}, so that each address has one form.
 * Reading one never asks the DNS.
 */
public record Address(long high, long low) {
    private static final long MAPPED = 0xFFFFL << 32;
    private static final long NAT64 = 0x0064_FF9B_0000_0000L;
    private static final long SIX_TO_FOUR = 0x2002;
    private static final long TEREDO = 0x2001_0000L;

    /** The address of version 4 with these 32 bits. */
    static Address v4(int bits) {
        return new Address(0, MAPPED | (bits & 0xFFFFFFFFL));
    }

    /** Reads an address; null if {@code text} is none. */
    public static @Nullable Address parse(String text) {
        return AddressText.parse(text);
    }

    /**
     * Reads an address as proxies and sockets write it, with a port, in brackets or with a zone: {@code 192.0.2.1:80},
     * {@code [2001:db8::1]:80}, {@code fe80::1%eth0}.
     */
    public static @Nullable Address parseHost(String text) {
        return AddressText.parseHost(text);
    }

    /** The canonical form of an address as {@link #parseHost} reads it; null if {@code text} is none. */
    public static @Nullable String canonical(String text) {
        return AddressText.canonical(text);
    }

    /** Whether it is of version 4. */
    public boolean isV4() {
        return high == 0 && low >>> 32 == 0xFFFF;
    }

    /**
     * The address of version 4 that this one stands for: that of a client behind NAT64 ({@code 64:ff9b::/96}), 6to4
     * ({@code 2002::/16}) or Teredo ({@code 2001::/32}); null if it stands for none.
     */
    public @Nullable Address embeddedV4() {
        if (high == NAT64 && low >>> 32 == 0) {
            return v4((int) low);
        }
        if (high >>> 48 == SIX_TO_FOUR) {
            return v4((int) (high >>> 16));
        }
        return high >>> 32 == TEREDO ? v4((int) ~low) : null;
    }

    /** The first address of the network of {@code bits} that this one lies in, counted in 128. */
    public Address masked(int bits) {
        if (bits >= 128) {
            return this;
        }
        if (bits > 64) {
            return new Address(high, low & (-1L << (128 - bits)));
        }
        return new Address(bits == 0 ? 0 : high & (-1L << (64 - bits)), 0);
    }

    /** Bit {@code index} of 128, the first one being 0. */
    int bit(int index) {
        return (int) ((index < 64 ? high >>> (63 - index) : low >>> (127 - index)) & 1);
    }

    /** The number of leading bits that the two have in common. */
    int commonBits(Address other) {
        long highs = high ^ other.high;
        return highs != 0 ? Long.numberOfLeadingZeros(highs) : 64 + Long.numberOfLeadingZeros(low ^ other.low);
    }

    public InetAddress toInetAddress() {
        byte[] bytes = isV4()
                ? ByteBuffer.allocate(4).putInt((int) low).array()
                : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 or 16 bytes are an address", e);
        }
    }

    /** The canonical form: dotted for version 4, that of RFC 5952 for version 6. */
    @Override
    public String toString() {
        return AddressText.write(this);
    }
}
