package dev.sluice.simulate.suggest.traffic;

import dev.sluice.rules.match.Address;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The key of a request, by which a rule would count it. */
final class ClientKey {
    private static final String INVALID = "invalid";
    private static final int IPV6_PREFIX = 64;

    private final List<String> attributes;
    private final int[] places;

    /**
     * Keys of some attributes.
     *
     * @param read the attributes that are read
     */
    ClientKey(List<String> attributes, LogAttributes read) {
        this.attributes = attributes;
        this.places = attributes.stream().mapToInt(read::indexOf).toArray();
    }

    /** The key; null if the request lacks an attribute of it. */
    @Nullable
    String of(LogEntry entry) {
        if (attributes.size() == 1) {
            return part(0, entry);
        }
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < attributes.size(); i++) {
            String part = part(i, entry);
            if (part == null) {
                return null;
            }
            key.append(i == 0 ? "" : "|").append(part.replace("\\", "\\\\").replace("|", "\\|"));
        }
        return key.toString();
    }

    private @Nullable String part(int index, LogEntry entry) {
        String value = entry.value(places[index]);
        return value != null && attributes.get(index).equals(LogAttributes.IP) ? address(value) : value;
    }

    /** An address in its canonical form; the network of one of version 6. */
    static String address(String text) {
        if (isPlain(text)) {
            return text;
        }
        Address address = Address.parseHost(text);
        if (address == null) {
            return INVALID;
        }
        Address embedded = address.embeddedV4();
        if (embedded != null || address.isV4()) {
            return String.valueOf(embedded == null ? address : embedded);
        }
        return address.masked(IPV6_PREFIX) + "/" + IPV6_PREFIX;
    }

    /** Whether a text is surely an address of version 4 in its canonical form: most are, and parsing takes time. */
    private static boolean isPlain(String text) {
        int parts = 0;
        int part = -1;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '.' && part >= 0) {
                parts++;
                part = -1;
            } else if (letter >= '0' && letter <= '9' && part != 0) {
                part = Math.max(0, part) * 10 + letter - '0';
                if (part > 255) {
                    return false;
                }
            } else {
                return false;
            }
        }
        return parts == 3 && part >= 0;
    }
}
