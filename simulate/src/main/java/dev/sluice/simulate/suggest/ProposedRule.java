package dev.sluice.simulate.suggest;

import dev.sluice.Durations;
import dev.sluice.simulate.suggest.traffic.Endpoints.Endpoint;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rule to paste into a rule file. */
public final class ProposedRule {
    private final String name;
    private final List<String> key;
    private final Scope scope;
    private final WindowLimit found;
    private final long permits;
    private final String reason;
    private final @Nullable Behaviour against;
    private final Effect effect;

    ProposedRule(
            String name,
            List<String> key,
            Scope scope,
            WindowLimit found,
            long permits,
            String reason,
            @Nullable Behaviour against,
            Effect effect) {
        this.name = name;
        this.key = List.copyOf(key);
        this.scope = scope;
        this.found = found;
        this.permits = permits;
        this.reason = reason;
        this.against = against;
        this.effect = effect;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** The method that it is about; null for all. */
    public @Nullable String method() {
        Endpoint endpoint = scope.endpoint();
        return endpoint == null || endpoint.method().isEmpty() ? null : endpoint.method();
    }

    /** The path that it is about, as a glob; null for all. */
    public @Nullable String path() {
        Endpoint endpoint = scope.endpoint();
        return endpoint == null ? null : endpoint.path();
    }

    /** The permits in each window: what clients need, and some more. */
    public long permits() {
        return permits;
    }

    /** The window. */
    public Duration window() {
        return found.window();
    }

    /** What it was made from: the smallest limit that leaves the share untouched. */
    public WindowLimit found() {
        return found;
    }

    /** Why there is such a rule. */
    public String reason() {
        return reason;
    }

    /** What it is against; null if it is for all. */
    public @Nullable Behaviour against() {
        return against;
    }

    /** What it would have cut alone. */
    public Effect effect() {
        return effect;
    }

    Scope scope() {
        return scope;
    }

    /** The limit as a rule file has it. */
    public String limit() {
        return permits + " per " + Durations.text(window()) + " sliding-log";
    }

    /** Its lines in a rule file, as an entry of {@code rules}. */
    public String yaml() {
        StringBuilder yaml = new StringBuilder("  # " + reason + "\n  - name: " + name + "\n");
        String path = path();
        if (path != null) {
            String method = method();
            yaml.append("    when: { path: ").append(quoted(path));
            yaml.append(method == null ? "" : ", method: " + quoted(method)).append(" }\n");
        }
        yaml.append("    key: [")
                .append(String.join(", ", key.stream().map(ProposedRule::quoted).toList()));
        return yaml.append("]\n    limits: [").append(limit()).append("]\n").toString();
    }

    /** Plain where YAML takes it for nothing else; in double quotes otherwise. */
    private static String quoted(String text) {
        if (text.matches("[a-zA-Z/][a-zA-Z0-9/._-]*")) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ' || letter > '~') {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
