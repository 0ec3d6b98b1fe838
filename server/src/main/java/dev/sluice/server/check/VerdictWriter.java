package dev.sluice.server.check;

import dev.sluice.Decision;
import dev.sluice.Outcome;
import dev.sluice.rules.OnExceed;
import dev.sluice.rules.QuotaExceeded;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.server.web.ByteBuilder;
import dev.sluice.server.web.Exchange;
import dev.sluice.server.web.HttpProblem;
import io.netty.util.AsciiString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a verdict as a response: header fields and body. One for each event loop. */
final class VerdictWriter {
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("Content-Type");
    private static final String JSON = "application/json";
    private static final AsciiString CACHE_CONTROL = AsciiString.cached("Cache-Control");
    private static final String NO_STORE = "no-store";
    private static final AsciiString DEGRADED = AsciiString.cached(RateLimitHeaders.DEGRADED);
    private static final AsciiString POLICY = AsciiString.cached(RateLimitHeaders.POLICY);
    private static final AsciiString STATE = AsciiString.cached(RateLimitHeaders.STATE);
    static final AsciiString RETRY_AFTER = AsciiString.cached(RateLimitHeaders.RETRY_AFTER);
    private static final String TRUE = "?1";
    private static final String QUOTA_EXCEEDED =
            "{\"type\":\"" + QuotaExceeded.TYPE + "\",\"title\":\"" + QuotaExceeded.TITLE + "\",\"status\":429,";
    private static final long MILLI = 1000;

    private final HeaderFields fields;
    private final ByteBuilder text = new ByteBuilder();
    private final StringBuilder state = new StringBuilder();

    VerdictWriter(HeaderFields fields) {
        this.fields = fields;
    }

    /** Responds to one check; {@code hold} is the token of its holds, if it has any. */
    void send(Exchange exchange, Verdict verdict, @Nullable String hold) {
        exchange.status(verdict.allowed() ? 200 : 429);
        fields(exchange, verdict);
        exchange.field(CACHE_CONTROL, NO_STORE).field(CONTENT_TYPE, verdict.allowed() ? JSON : HttpProblem.MEDIA_TYPE);
        body(text.clear(), verdict, hold);
        exchange.end(text.put('\n'));
    }

    /** Responds to nginx with 204 or 403 and header fields alone, since nginx relays no body. */
    void sendHead(Exchange exchange, Verdict verdict) {
        exchange.status(verdict.allowed() ? 204 : 403);
        fields(exchange, verdict);
        exchange.end();
    }

    /** Responds to a list of checks, in their order; an empty token means no hold. */
    void sendList(Exchange exchange, List<Verdict> verdicts, List<String> holds) {
        exchange.status(200).field(CONTENT_TYPE, JSON).field(CACHE_CONTROL, NO_STORE);
        text.clear().put('[');
        for (int i = 0; i < verdicts.size(); i++) {
            if (i > 0) {
                text.put(',').put('\n');
            }
            body(text, verdicts.get(i), holds.get(i).isEmpty() ? null : holds.get(i));
        }
        exchange.end(text.put(']').put('\n'));
    }

    /** Adds the header fields about limits, without rules in shadow mode. */
    private void fields(Exchange exchange, Verdict verdict) {
        List<RuleDecision> ruleDecisions = verdict.decisions();
        boolean denied = !verdict.allowed();
        text.clear();
        state.setLength(0);
        for (int i = 0; i < ruleDecisions.size(); i++) {
            RuleDecision ruleDecision = ruleDecisions.get(i);
            if (!isShadow(ruleDecision)) {
                (text.length() > 0 ? text.put(',').put(' ') : text).ascii(ruleDecision.policy());
                RateLimitHeaders.states(state, ruleDecision.rule().name(), ruleDecision.decision(), denied);
            }
        }
        if (text.length() > 0) {
            exchange.field(POLICY, text).field(STATE, state.toString());
        }
        RuleDecision decisive = verdict.decisive();
        if (denied && decisive != null && decisive.decision().retryAfterMicros() != Decision.NEVER_MICROS) {
            long seconds = RateLimitHeaders.seconds(decisive.decision().retryAfterMicros());
            exchange.field(RETRY_AFTER, text.clear().number(seconds));
        }
        if (verdict.degraded()) {
            exchange.field(DEGRADED, TRUE);
        }
        if (fields == HeaderFields.STANDARD_AND_LEGACY) {
            RateLimitHeaders.setLegacy(verdict, (name, value) -> exchange.field(new AsciiString(name), value));
        }
    }

    private void body(ByteBuilder json, Verdict verdict, @Nullable String hold) {
        RuleDecision decisive = verdict.decisive();
        if (verdict.allowed()) {
            json.ascii("{\"allowed\":true,\"rule\":");
        } else {
            problem(json, verdict, decisive);
            json.ascii("\"allowed\":false,\"rule\":");
        }
        if (decisive == null) {
            json.ascii("null,\"limit\":null,\"remaining\":null,\"retryAfterMs\":0,\"resetAfterMs\":0");
        } else {
            json.json(decisive.rule().name());
            numbers(json, decisive.decision());
        }
        long delayMicros = verdict.delayMicros();
        if (delayMicros > 0) {
            millis(json.ascii(",\"delayMs\":"), delayMicros);
        }
        if (verdict.degraded()) {
            json.ascii(",\"degraded\":true");
        }
        if (hold != null) {
            json.ascii(",\"hold\":\"").ascii(hold).put('"');
        }
        limits(json.ascii(",\"limits\":["), verdict.decisions());
        json.ascii("]}");
    }

    private static void problem(ByteBuilder json, Verdict verdict, @Nullable RuleDecision decisive) {
        json.ascii(QUOTA_EXCEEDED);
        if (decisive != null) {
            json.ascii("\"detail\":").json(QuotaExceeded.detail(decisive)).put(',');
        }
        json.ascii("\"violated-policies\":[");
        List<String> violated = QuotaExceeded.violated(verdict);
        for (int i = 0; i < violated.size(); i++) {
            (i == 0 ? json : json.put(',')).json(violated.get(i));
        }
        json.ascii("],");
    }

    private void limits(ByteBuilder json, List<RuleDecision> ruleDecisions) {
        boolean first = true;
        for (int i = 0; i < ruleDecisions.size(); i++) {
            RuleDecision ruleDecision = ruleDecisions.get(i);
            List<Decision> parts = ruleDecision.decision().perLimit();
            for (int j = 0; j < parts.size(); j++) {
                Decision part = parts.get(j);
                json.ascii(first ? "{\"rule\":" : ",{\"rule\":")
                        .json(ruleDecision.rule().name());
                first = false;
                boolean over = !part.allowed() || part.outcome() == Outcome.SHADOWED;
                json.ascii(over ? ",\"allowed\":false" : ",\"allowed\":true");
                numbers(json, part);
                mode(json, ruleDecision);
                json.put('}');
            }
        }
    }

    private static void mode(ByteBuilder json, RuleDecision ruleDecision) {
        OnExceed.Action action = ruleDecision.rule().onExceed().action();
        if (action == OnExceed.Action.SHADOW) {
            json.ascii(",\"onExceed\":\"shadow\"");
        } else if (action == OnExceed.Action.DEGRADE) {
            json.ascii(",\"onExceed\":\"degrade\"");
        }
    }

    private static void numbers(ByteBuilder json, Decision decision) {
        json.ascii(",\"limit\":").number(decision.limit());
        json.ascii(",\"remaining\":").number(decision.remaining());
        millis(json.ascii(",\"retryAfterMs\":"), decision.retryAfterMicros());
        millis(json.ascii(",\"resetAfterMs\":"), decision.resetAfterMicros());
    }

    /** Whole milliseconds, rounded up; null for never. */
    private static void millis(ByteBuilder json, long micros) {
        if (micros == Decision.NEVER_MICROS) {
            json.ascii("null");
        } else {
            json.number(micros / MILLI + (micros % MILLI == 0 ? 0 : 1));
        }
    }

    private static boolean isShadow(RuleDecision ruleDecision) {
        return ruleDecision.rule().onExceed().action() == OnExceed.Action.SHADOW;
    }
}
