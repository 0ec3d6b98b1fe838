package dev.sluice.contract;

import java.util.List;

/** Says how a law was broken. */
@SuppressWarnings("AnnotateFormatMethod") // The annotation is not on the class path.
final class LawBroken extends RuntimeException {
    LawBroken(String how, Object... values) {
        super(how.formatted(values));
    }

    static void unless(boolean kept, String how, Object... values) {
        if (!kept) {
            throw new LawBroken(how, values);
        }
    }

    /** The first difference between what two limiters answered to the same steps. */
    static void unlessEqual(
            List<Answer> expected, List<Answer> actual, List<Step> steps, String how, Object... values) {
        for (int i = 0; i < steps.size(); i++) {
            if (!expected.get(i).equals(actual.get(i))) {
                throw new LawBroken(
                        "%s: at number %d of %s%n  expected %s%n  but was  %s",
                        how.formatted(values), i, steps, expected.get(i), actual.get(i));
            }
        }
    }
}
