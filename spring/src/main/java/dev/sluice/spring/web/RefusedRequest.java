package dev.sluice.spring.web;

import dev.sluice.Decision;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/** A request that was denied, and why, for a {@link RefusalCustomizer}. */
public final class RefusedRequest {
    private final Verdict verdict;
    private final RuleDecision denying;
    private final WebRequestAdapter request;
    private @Nullable List<MediaType> accepted;

    RefusedRequest(Verdict verdict, WebRequestAdapter request) {
        this.verdict = verdict;
        this.denying = Objects.requireNonNull(verdict.decisive());
        this.request = request;
    }

    /** The name of the rule or annotation that denies for longest. */
    public String rule() {
        return denying.rule().name();
    }

    /** The decision of that rule. */
    public Decision decision() {
        return denying.decision();
    }

    /** The decisions of all rules that applied. */
    public Verdict verdict() {
        return verdict;
    }

    public String method() {
        return request.method();
    }

    /** The path as the client sent it. */
    public String path() {
        return request.path();
    }

    /** The values of a header of the request, joined by commas; null if it has none. */
    public @Nullable String header(String name) {
        List<String> values = request.headers(name);
        return values.isEmpty() ? null : String.join(", ", values);
    }

    /** The attribute that a filter or the application left in the request under this name; null if there is none. */
    public @Nullable Object attribute(String name) {
        return request.attribute(name);
    }

    /**
     * Whether the client would rather have this type than JSON, by its {@code Accept}. A browser prefers
     * {@code text/html}. A client that accepts anything, or whose {@code Accept} cannot be read, prefers nothing.
     */
    public boolean prefers(MediaType type) {
        double json = Math.max(weight(MediaType.APPLICATION_PROBLEM_JSON), weight(MediaType.APPLICATION_JSON));
        return weight(type) > json;
    }

    /** The weight of a type, from 0 to 1: that of the most specific range that it is in. */
    private double weight(MediaType type) {
        double weight = 0;
        int best = 0;
        for (MediaType range : accepted()) {
            int specific = range.isWildcardType() ? 1 : range.isWildcardSubtype() ? 2 : 3;
            if (specific > best && range.includes(type)) {
                best = specific;
                weight = range.getQualityValue();
            }
        }
        return weight;
    }

    private List<MediaType> accepted() {
        if (accepted == null) {
            String header = header("Accept");
            try {
                accepted = header == null ? List.of(MediaType.ALL) : MediaType.parseMediaTypes(header);
            } catch (RuntimeException unreadable) { // of several classes, such as StringIndexOutOfBoundsException
                accepted = List.of(MediaType.ALL);
            }
        }
        return accepted;
    }
}
