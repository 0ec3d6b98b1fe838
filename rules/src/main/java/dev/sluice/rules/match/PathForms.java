package dev.sluice.rules.match;

import dev.sluice.rules.match.RequestPath.Dots;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A path in every form in which the server behind may route it.
 *
 * <p><b>How is it designed, and why?</b> Servers disagree about the path of a request: nginx decodes {@code %2F} before it
 * resolves dot segments, Tomcat drops what follows a semicolon, Express compares the path as it was sent. If rules saw one
 * form alone, a client would choose a path that this form takes for another: {@code /static/..%2flogin} for
 * {@code /static/**}, or {@code /login/..;/static/x} for one who drops parameters. So rules see the path in each of the
 * forms below, and a request is charged for all of them. A form that the server behind does not use costs the client
 * permits, and gains nothing.
 *
 * <pre>
 *   target       as it is, or without scheme and host; cut at '#', or not
 *   decoded      segment by segment, or whole
 *   backslash    a slash, or a character
 *   ;parameters  dropped, or not
 *   dots         resolved after doubled slashes became one, resolved before, or left
 * </pre>
 *
 * <p>A proxy may hand on the path that it has read, decoded, to a server that reads it once more. So each form is read again
 * in the same way. Nearly every path has one form. The number of forms and the work to find them are bounded. A path beyond the bounds
 * was made to be misread: it is not {@link #complete}, and is denied.
 *
 * @param all the forms; the first is the path decoded once and reduced most
 * @param complete whether these are all
 */
public record PathForms(List<String> all, boolean complete) {
    /** The largest number of forms that a path may have. */
    public static final int MAX = 16;

    /** The largest number of characters that are read to find the forms. */
    static final int MAX_CHARACTERS = 64 << 10;

    public PathForms {
        all = List.copyOf(all);
    }

    /** The forms of a path; null if it has one, which is the path itself. */
    public static @Nullable PathForms of(String path) {
        return RequestPath.isPlain(path) ? null : new Reader().read(path);
    }

    /** Tries the combinations, the one that reduces a path most first. */
    static final class Reader {
        private final Set<String> forms = new LinkedHashSet<>();
        private int characters;

        /** How many characters it has read. */
        int characters() {
            return characters;
        }

        PathForms read(String path) {
            addTarget(RequestPath.before(RequestPath.withoutScheme(path), "?"));
            for (String form : List.copyOf(forms)) {
                if (!RequestPath.before(form, "%?#").equals(form)) {
                    String cut = RequestPath.before(form, "?");
                    addTarget(cut);
                    if (cut.length() < form.length()) {
                        addTarget(form);
                    }
                }
            }
            boolean complete = !isFull();
            List<String> all = forms.isEmpty() ? List.of(path) : List.copyOf(forms);
            return new PathForms(complete ? all : all.subList(0, Math.min(MAX, all.size())), complete);
        }

        private void addTarget(String target) {
            addFragments(target);
            if (RequestPath.hasAuthority(target)) {
                addFragments(RequestPath.withoutAuthority(target));
            }
        }

        private boolean isFull() {
            return forms.size() > MAX || characters > MAX_CHARACTERS;
        }

        private void addFragments(String target) {
            if (isFull()) {
                return;
            }
            String cut = RequestPath.before(target, "#");
            addDecoded(cut);
            if (cut.length() < target.length()) {
                addDecoded(target);
            }
            if (target.indexOf(';') >= 0 && target.indexOf('%') >= 0) {
                addDecoded(RequestPath.withoutParameters(target));
            }
        }

        private void addDecoded(String text) {
            if (isFull()) {
                return;
            }
            characters += text.length();
            String whole = RequestPath.decoded(text);
            String segments = RequestPath.decodedSegments(text);
            addSlashes(whole);
            if (!segments.equals(whole)) {
                addSlashes(segments);
            }
        }

        private void addSlashes(String text) {
            if (isFull()) {
                return;
            }
            if (text.indexOf('\\') >= 0) {
                addParameters(text.replace('\\', '/'));
            }
            addParameters(text);
        }

        private void addParameters(String text) {
            if (text.indexOf(';') >= 0) {
                addDots(RequestPath.withoutParameters(text));
            }
            addDots(text);
        }

        private void addDots(String text) {
            add(text, Dots.MERGED);
            if (RequestPath.hasDots(text)) {
                if (text.contains("//")) {
                    add(text, Dots.UNMERGED);
                }
                add(text, Dots.LITERAL);
            }
        }

        private void add(String text, Dots dots) {
            if (!isFull()) {
                characters += text.length();
                forms.add(RequestPath.resolved(text, dots));
            }
        }
    }
}
