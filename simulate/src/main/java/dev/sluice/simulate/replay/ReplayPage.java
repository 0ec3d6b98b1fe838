package dev.sluice.simulate.replay;

import dev.sluice.simulate.svg.Svg;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A replay as one HTML page that needs nothing else: no script, no font, no picture from elsewhere. Everything that comes
 * from a log or a rule file is text, whatever is written in it.
 */
public final class ReplayPage {
    private static final String STYLE = """
            :root{--ground:#fff;--ink:#1f2328;--dim:#59636e;--edge:#d1d9e0;--grid:#e6eaef;--passed:#80b8f0;\
            --stopped:#bc4c00;--waited:#8250df;--keys:#d1d9e0}
            @media(prefers-color-scheme:dark){:root{--ground:#0d1117;--ink:#f0f6fc;--dim:#9198a1;--edge:#3d444d;\
            --grid:#262c36;--passed:#1f5fa8;--stopped:#f0883e;--waited:#be8fff;--keys:#3d444d}}
            body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;background:var(--ground);\
            color:var(--ink);max-width:60rem;margin:2rem auto;padding:0 1rem}
            h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2.5rem 0 .3rem}h3{font-size:.95rem;margin:1.2rem 0 .2rem}
            p{margin:.3rem 0}.dim,figcaption{color:var(--dim)}figure{margin:.5rem 0}svg{width:100%;height:auto}
            svg text{font-size:11px;fill:var(--dim)}svg .end{text-anchor:end}svg .tick{text-anchor:middle}
            svg .grid{stroke:var(--grid);fill:none}svg .base{stroke:var(--edge);fill:none}
            svg .passed{fill:var(--passed)}
            svg .stopped{fill:var(--stopped)}svg .waited{fill:none;stroke:var(--waited)}svg .keys{fill:var(--keys)}
            table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
            th,td{text-align:right;padding:.2rem .6rem;border-bottom:1px solid var(--grid)}
            th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}th{font-weight:600;color:var(--dim)}
            code,td:first-child{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.9em}
            .key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.3em}
            .key.passed{background:var(--passed)}.key.stopped{background:var(--stopped)}\
            .key.waited{background:var(--waited)}.key.keys{background:var(--keys)}
            pre{white-space:pre-wrap;overflow-wrap:anywhere}""";

    private final StringBuilder out = new StringBuilder(1 << 16);

    private ReplayPage() {}

    /** The page of a report. */
    public static String of(ReplayReport report) {
        ReplayPage page = new ReplayPage();
        page.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
                .raw("<title>Sluice: replay of ")
                .text(files(report))
                .raw("</title>\n<style>")
                .raw(STYLE)
                .raw("</style></head>\n<body>\n<h1>Replay of ")
                .text(files(report))
                .raw("</h1>\n");
        page.head(report);
        page.totals(report);
        for (RuleResult rule : report.result().rules()) {
            page.rule(
                    rule,
                    report.result().series(),
                    report.other().flatMap(other -> ReplayText.rule(other, rule.name())));
        }
        report.other()
                .ifPresent(other -> other.rules().stream()
                        .filter(rule ->
                                ReplayText.rule(report.result(), rule.name()).isEmpty())
                        .forEach(rule -> page.rule(rule, other.series(), Optional.empty())));
        return page.raw("</body></html>\n").out.toString();
    }

    private static String files(ReplayReport report) {
        List<String> names =
                report.log().files().stream().map(file -> file.file()).toList();
        return names.size() <= 3 ? String.join(", ", names) : names.get(0) + " and " + (names.size() - 1) + " more";
    }

    private ReplayPage raw(String html) {
        out.append(html);
        return this;
    }

    private ReplayPage text(String text) {
        out.append(Svg.escape(text));
        return this;
    }

    private void paragraph(String type, String text) {
        raw("<p class=\"" + type + "\">").text(text).raw("</p>\n");
    }

    private void head(ReplayReport report) {
        ReplayResult result = report.result();
        paragraph(
                "dim",
                String.format(
                        Locale.ROOT,
                        "%,d requests from %s to %s UTC, decided by %s",
                        result.requests(),
                        ReplayText.minute(result.firstMicros()),
                        ReplayText.minute(result.lastMicros()),
                        result.name()));
        List<String> notes = ReplayText.notes(report.log());
        if (!notes.isEmpty()) {
            raw("<pre class=\"dim\">").text(String.join("\n", notes)).raw("</pre>\n");
        }
    }

    private void totals(ReplayReport report) {
        raw("<h2>Before and after</h2>\n");
        ReplayResult result = report.result();
        figure(
                Chart.beforeAndAfter(result.series(), "Requests over time: allowed, and denied"),
                legend("passed", "allowed by " + result.name()) + legend("stopped", "denied"));
        report.other().ifPresent(other -> {
            figure(
                    Chart.beforeAndAfter(other.series(), "The same by the other rules"),
                    legend("passed", "allowed by " + other.name()) + legend("stopped", "denied"));
            paragraph("", ReplayText.changes(result, other, report.change()));
        });
        boolean degraded = ReplayText.results(report).stream().anyMatch(each -> each.degraded() > 0);
        boolean waited = ReplayText.results(report).stream().anyMatch(each -> each.waited() > 0);
        raw("<table><tr><th>rules</th><th>requests</th><th>allowed</th><th></th><th>denied</th><th></th>"
                + (degraded ? "<th>degraded</th>" : "")
                + (waited ? "<th>waited</th>" : "") + "</tr>\n");
        for (ReplayResult each : ReplayText.results(report)) {
            raw("<tr><td>").text(each.name()).raw("</td>");
            cells(number(each.requests()));
            cells(number(each.allowed()), ReplayText.percent(each.allowed(), each.requests()));
            cells(number(each.denied()), ReplayText.percent(each.denied(), each.requests()));
            if (degraded) {
                cells(number(each.degraded()));
            }
            if (waited) {
                cells(number(each.waited()));
            }
            raw("</tr>\n");
        }
        raw("</table>\n");
    }

    private void rule(RuleResult rule, Series all, Optional<RuleResult> other) {
        raw("<h2>")
                .text(rule.name())
                .raw("</h2>\n<p><code>")
                .text(rule.summary())
                .raw("</code></p>\n");
        paragraph("", ReplayText.numbers(rule));
        other.ifPresent(changed -> {
            raw("<p class=\"dim\">The other rules: <code>")
                    .text(changed.summary())
                    .raw("</code></p>\n");
            paragraph("dim", ReplayText.numbers(changed));
        });
        if (rule.stopped() > 0 || rule.waited() > 0) {
            figure(
                    Chart.stopped(all, rule.series(), "What " + rule.name() + " stopped over time"),
                    legend("stopped", ReplayText.word(rule)) + (rule.waited() == 0 ? "" : legend("waited", "waited")));
        }
        top(rule);
        if (rule.matched() > 0 && rule.keys() > 1) {
            raw("<h3>Clients by rate</h3>\n");
            figure(
                    Chart.rates(rule.rates(), "How many keys made how many requests in their busiest minute"),
                    "How many keys made how many requests in their busiest minute: " + legend("keys", "left alone")
                            + legend("stopped", "hit"));
        }
    }

    private void top(RuleResult rule) {
        if (!rule.top().isEmpty()) {
            raw("<h3>Hit most</h3>\n<table><tr><th>key</th><th>requests</th><th>")
                    .text(ReplayText.word(rule));
            raw("</th><th></th>" + (rule.waited() == 0 ? "" : "<th>waited</th>"));
            raw("<th>requests in its busiest minute</th></tr>\n");
            for (RuleResult.Key key : rule.top()) {
                raw("<tr><td>").text(ReplayText.shown(key.key())).raw("</td>");
                cells(number(key.requests()), number(key.stopped()));
                cells(ReplayText.percent(key.stopped(), key.requests()));
                if (rule.waited() > 0) {
                    cells(number(key.waited()));
                }
                cells(number(key.mostInMinute()));
                raw("</tr>\n");
            }
            raw("</table>\n");
        }
        if (!rule.worst().isEmpty()) {
            raw("<h3>Worst minutes</h3>\n<table><tr><th>minute (UTC)</th><th>").text(ReplayText.word(rule));
            raw("</th><th>most of them of</th><th>of that key</th></tr>\n");
            for (RuleResult.Moment moment : rule.worst()) {
                raw("<tr><td>").text(ReplayText.minute(moment.startMicros())).raw("</td>");
                cells(number(moment.stopped()), ReplayText.shown(moment.key()), number(moment.ofKey()));
                raw("</tr>\n");
            }
            raw("</table>\n");
        }
    }

    private void cells(String... texts) {
        for (String text : texts) {
            raw("<td>").text(text).raw("</td>");
        }
    }

    /** A chart, which is SVG, and a caption, which is HTML. */
    private void figure(String chart, String caption) {
        raw("<figure>").raw(chart).raw("<figcaption>").raw(caption).raw("</figcaption></figure>\n");
    }

    private static String legend(String type, String text) {
        return "<span class=\"key " + type + "\"></span>" + Svg.escape(text) + " &nbsp; ";
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
