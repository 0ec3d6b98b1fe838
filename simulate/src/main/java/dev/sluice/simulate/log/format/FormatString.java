package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogException;
import dev.sluice.text.DidYouMean;
import dev.sluice.text.Quoted;

/** Reads the format strings of nginx ({@code log_format}) and Apache ({@code LogFormat}). */
final class FormatString {
    private final String text;
    private final TextFormat.Builder fields = new TextFormat.Builder();
    private int at;

    private FormatString(String text) {
        this.text = text;
    }

    /**
     * Reads a format string.
     *
     * @throws LogException if it has a mistake, or no time
     */
    static TextFormat parse(String text) {
        boolean nginx = text.indexOf('$') >= 0;
        if (!nginx && text.indexOf('%') < 0) {
            throw new LogException("there is no log format " + Quoted.quoted(text)
                    + DidYouMean.hint(text, LogFormat.NAMES) + "; expected one of "
                    + String.join(", ", LogFormat.NAMES)
                    + ", or a format string such as '$remote_addr [$time_local] \"$request\" $status' (nginx) or"
                    + " '%h %t \"%r\" %>s' (Apache)");
        }
        return new FormatString(text).read(nginx);
    }

    private TextFormat read(boolean nginx) {
        while (at < text.length()) {
            char letter = text.charAt(at);
            if (letter == (nginx ? '$' : '%')) {
                at++;
                if (nginx) {
                    variable();
                } else {
                    directive();
                }
            } else if (letter == '\\' && at + 1 < text.length()) {
                fields.text(unescaped(text.charAt(at + 1)));
                at += 2;
            } else {
                fields.text(letter);
                at++;
            }
        }
        if (!fields.has(Column.Kind.TIME)) {
            throw new LogException("the log format has no time, and without it nothing can be replayed; expected "
                    + (nginx ? "$time_local, $time_iso8601 or $msec" : "%t") + ", was " + Quoted.quoted(text));
        }
        return fields.build(text);
    }

    private static char unescaped(char letter) {
        return switch (letter) {
            case 't' -> '\t';
            case 'n' -> '\n';
            default -> letter;
        };
    }

    // ---- nginx

    private void variable() {
        int start = at;
        boolean braces = at < text.length() && text.charAt(at) == '{';
        at += braces ? 1 : 0;
        int from = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
            at++;
        }
        String name = text.substring(from, at);
        if (name.isEmpty()) {
            throw mistake(start, "expected the name of a variable after '$'");
        }
        if (braces) {
            if (at == text.length() || text.charAt(at) != '}') {
                throw mistake(start, "'${' has no '}'");
            }
            at++;
        }
        String hint = NginxVariables.hint(name);
        if (!hint.isEmpty()) {
            throw mistake(start, "there is no variable $" + name + hint);
        }
        add(start, NginxVariables.column(name), "$" + name);
    }

    // ---- Apache

    private void directive() {
        int start = at;
        if (at < text.length() && text.charAt(at) == '%') {
            fields.text('%');
            at++;
            return;
        }
        while (at < text.length() && "<>!,0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String argument = "";
        if (at < text.length() && text.charAt(at) == '{') {
            int end = text.indexOf('}', at);
            if (end < 0) {
                throw mistake(start, "'%{' has no '}'");
            }
            argument = text.substring(at + 1, end);
            at = end + 1;
        }
        if (at < text.length() && text.charAt(at) == '^') {
            at += 2; // ^FB, ^ti, ^to
        }
        if (at >= text.length()) {
            throw mistake(start, "expected a letter after '%'");
        }
        char letter = text.charAt(at++);
        Column column = ApacheDirectives.column(letter, argument);
        if (column == null) {
            throw mistake(start, "there is no directive " + Quoted.quoted("%" + text.substring(start, at)));
        }
        boolean brackets = letter == 't' && argument.isEmpty();
        fields.text(brackets ? "[" : "");
        add(start, column, "%" + text.substring(start, at));
        fields.text(brackets ? "]" : "");
    }

    private void add(int start, Column column, String name) {
        if (!fields.field(column, name)) {
            throw mistake(
                    start,
                    name + " follows another field with nothing between them, so that nobody can tell where"
                            + " it starts");
        }
    }

    private LogException mistake(int start, String problem) {
        return new LogException(
                "the log format is wrong at character " + start + ": " + problem + "; it was " + Quoted.quoted(text));
    }
}
