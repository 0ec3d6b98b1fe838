package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The steps of a run, as far as {@code --only} asks for them.
 *
 * <p>A round is a short while of everything, and every other round goes backwards, so that a slow drift of the machine
 * falls on all rows alike and the <em>ratios</em> stand.
 */
public final class Steps {
    /** One thing to do; {@code work} returns its result in a few words. */
    public record Step(String label, Supplier<String> work) {}

    private final Pattern only;
    private final List<Step> before = new ArrayList<>();
    private final List<Step> round = new ArrayList<>();
    private final List<Step> after = new ArrayList<>();

    public Steps(Pattern only) {
        this.only = only;
    }

    /** Once, before the rounds. */
    public void before(String label, Supplier<String> work) {
        add(before, "", label, work);
    }

    /** Once, before the rounds, shown as warming up. */
    public void warmUp(String label, Supplier<String> work) {
        add(before, "warming up ", label, work);
    }

    /** Once in every round. */
    public void round(String label, Supplier<String> work) {
        add(round, "", label, work);
    }

    /** Once, after the rounds. */
    public void after(String label, Supplier<String> work) {
        add(after, "", label, work);
    }

    /** The steps of a run, round by round. */
    public List<Step> inOrder(int rounds) {
        List<Step> all = new ArrayList<>(before);
        List<Step> next = new ArrayList<>(round);
        for (int i = 0; i < rounds; i++) {
            all.addAll(next);
            Collections.reverse(next);
        }
        all.addAll(after);
        return all;
    }

    private void add(List<Step> steps, String prefix, String label, Supplier<String> work) {
        if (only.matcher(label).find()) {
            steps.add(new Step(prefix + label, work));
        }
    }
}
