package dev.sluice.server.admin;

import dev.sluice.Limit;
import dev.sluice.rules.RuleEngine;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts rules in force on an engine. */
final class EngineTarget implements RuleTarget {
    private final RuleEngine engine;
    private final String fileName;
    private final Set<String> stores;

    /**
     * With the name of the server's rule file, where relative paths start from, and the stores that rules may name: a
     * running server does not move to another.
     */
    EngineTarget(RuleEngine engine, String fileName, Set<String> stores) {
        this.engine = engine;
        this.fileName = fileName;
        this.stores = stores;
    }

    @Override
    public void check(String text) {
        parsed(text);
    }

    @Override
    public void apply(String text) {
        RuleSet rules = parsed(text);
        try {
            engine.apply(rules);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new BadRules(List.of(new RuleProblem(String.valueOf(e.getMessage()), 0, 0)));
        }
    }

    private RuleSet parsed(String text) {
        RuleSet rules;
        try {
            rules = RuleFile.parse(fileName, text);
        } catch (RuleFileException e) {
            throw new BadRules(e.problems().stream()
                    .map(problem -> new RuleProblem(
                            (problem.field().isEmpty() ? "" : problem.field() + ": ") + problem.message(),
                            problem.line(),
                            problem.column()))
                    .toList());
        }
        if (!stores.contains(rules.store())) {
            throw new BadRules(List.of(new RuleProblem(
                    "store: a running server keeps its store, and this names another, " + harmless(rules.store())
                            + "; start the server again for that",
                    0,
                    0)));
        }
        return rules;
    }

    @Override
    public void hold(KeyHold hold) {
        try {
            if (hold.kind() == KeyHold.Kind.BLOCK) {
                engine.block(hold.rule(), hold.key(), hold.until());
            } else {
                List<Limit> limits = LimitTexts.parse(hold.limits());
                engine.override(hold.rule(), hold.key(), limits, hold.until());
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw HttpProblem.of(400, "bad-hold", String.valueOf(e.getMessage()))
                    .refusal();
        }
    }

    @Override
    public Set<String> holds() {
        return engine.keyOverrides().stream()
                .map(order -> KeyHold.name(order.rule(), order.key()))
                .collect(Collectors.toSet());
    }

    @Override
    public void drop(KeyHold hold) {
        engine.clear(hold.rule(), hold.key());
    }

    private static String harmless(String store) {
        return store.replaceFirst("(?s)//.*@", "//…@");
    }
}
