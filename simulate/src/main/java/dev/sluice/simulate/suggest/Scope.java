package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Endpoints;
import dev.sluice.simulate.suggest.traffic.Endpoints.Endpoint;
import dev.sluice.simulate.suggest.traffic.Events;
import java.util.BitSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The requests that a rule applies to: all, or those on an endpoint and whatever else its glob matches. */
final class Scope {
    /** All requests. */
    static final Scope ALL = new Scope(null, new BitSet());

    private final @Nullable Endpoint endpoint;
    private final BitSet covered;

    private Scope(@Nullable Endpoint endpoint, BitSet covered) {
        this.endpoint = endpoint;
        this.covered = covered;
    }

    /** The requests on an endpoint. */
    static Scope of(Endpoints endpoints, int number) {
        Endpoint endpoint = endpoints.get(number);
        StringBuilder regex = new StringBuilder();
        for (String piece : endpoint.path().split("(?<=\\*)(?!\\*)|(?<!\\*)(?=\\*)", -1)) {
            regex.append(
                    switch (piece) {
                        case "*" -> "[^/]*";
                        case "**" -> ".*";
                        default -> Pattern.quote(piece);
                    });
        }
        Pattern pattern = Pattern.compile(regex.toString());
        BitSet covered = new BitSet();
        for (int i = 0; i < endpoints.size(); i++) {
            Endpoint other = endpoints.get(i);
            boolean matches = other.method().equals(endpoint.method())
                    && pattern.matcher(other.path()).matches();
            if (matches || i == number) {
                covered.set(i);
            }
        }
        return new Scope(endpoint, covered);
    }

    boolean contains(int mark) {
        return endpoint == null || covered.get(Endpoints.endpoint(mark));
    }

    /** Those of a client's requests that it contains: all of them, or what it writes to {@code buffer}. */
    Events of(Events all, Events buffer) {
        if (endpoint == null) {
            return all;
        }
        buffer.reset();
        for (int i = 0; i < all.count(); i++) {
            if (contains(all.mark(i))) {
                buffer.add(all.time(i), all.mark(i));
            }
        }
        return buffer;
    }

    /** The endpoint; null if it is all. */
    @Nullable
    Endpoint endpoint() {
        return endpoint;
    }
}
