package dev.sluice.simulate;

/**
 * The colours of a picture. It brings its own ground, so that it can be read on any page. Allowed and denied differ by
 * place (above and below the line) as well as by colour.
 */
public enum PictureStyle {
    /** Light or dark, as the reader's system is set. */
    READERS_CHOICE,
    LIGHT,
    DARK,
    /** None: the page that shows the picture has the colours. */
    NONE;

    private static final String LIGHT_COLOURS =
            "--ground:#fff;--edge:#d1d9e0;--ink:#1f2328;--dim:#59636e;--grid:#e6eaef;--fill:#cfe8ff;"
                    + "--yes:#0969da;--no:#bc4c00;--flow:#8250df;--above:#ffb3ad;--cap:#cf222e";
    private static final String DARK_COLOURS =
            "--ground:#0d1117;--edge:#3d444d;--ink:#f0f6fc;--dim:#9198a1;--grid:#262c36;--fill:#12304f;"
                    + "--yes:#4493f8;--no:#f0883e;--flow:#be8fff;--above:#8e1519;--cap:#ff7b72";
    private static final String RULES = """
            .sluice text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--dim)}
            .sluice .title{font-size:16px;font-weight:600;fill:var(--ink)}
            .sluice .name{font-size:13px;font-weight:600;fill:var(--ink)}
            .sluice .strong{font-weight:600;fill:var(--ink)}
            .sluice .over{font-weight:600;fill:var(--cap)}
            .sluice .tick{font-size:11px;text-anchor:middle}
            .sluice .end{font-size:11px;text-anchor:end}
            .sluice .ground{fill:var(--ground);stroke:var(--edge)}
            .sluice .grid{stroke:var(--grid);fill:none}
            .sluice .base{stroke:var(--edge);fill:none}
            .sluice .window{stroke:var(--dim);fill:none;stroke-dasharray:2 3}
            .sluice .area{fill:var(--fill)}.sluice .above{fill:var(--above)}
            .sluice .curve{fill:none;stroke:var(--yes);stroke-width:1.5}
            .sluice .limit{fill:none;stroke:var(--ink);stroke-width:1.5}
            .sluice text.peak{font-size:14px;font-weight:700;fill:var(--ink)}.sluice text.over{fill:var(--cap)}
            .sluice text.before{text-anchor:end}
            .sluice circle.peak{fill:var(--yes);stroke:var(--ground)}.sluice circle.over{fill:var(--cap)}
            .sluice .yes{fill:var(--yes)}.sluice .no{fill:var(--no)}.sluice .start{fill:var(--flow)}
            .sluice tspan.yes,.sluice tspan.no{font-weight:600}
            """;

    /** The style element; nothing where the page has the colours. */
    String css() {
        return switch (this) {
            case READERS_CHOICE ->
                style(".sluice{" + LIGHT_COLOURS + "}\n@media(prefers-color-scheme:dark){.sluice{" + DARK_COLOURS
                        + "}}\n");
            case LIGHT -> style(".sluice{" + LIGHT_COLOURS + "}\n");
            case DARK -> style(".sluice{" + DARK_COLOURS + "}\n");
            case NONE -> "";
        };
    }

    private static String style(String colours) {
        return "<style>\n" + colours + RULES + "</style>";
    }
}
