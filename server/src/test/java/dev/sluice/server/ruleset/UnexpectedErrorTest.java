package dev.sluice.server.ruleset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.engine.RuleEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that make the code that reads them fail in a way that no check foresaw. */
class UnexpectedErrorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void anErrorIsShownAndTheNextFileIsRead(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), rules("good"));
        try (Store store = failing(Store.local())) {
            InitialRules start = InitialRules.of(file);
            RuleEngine engine = new RuleEngine(store, start.rules());
            try (RuleUpdater updater = RuleUpdater.local(engine, start)) {
                Files.writeString(file, rules("bad"));
                Eventually.holds("it is shown", PATIENCE, () -> updater.active().rejected() != null);
                assertThat(Objects.requireNonNull(updater.active().rejected()).problems())
                        .first()
                        .asString()
                        .contains("StackOverflowError");
                assertThat(engine.rules().rules().get(0).name()).isEqualTo("good");
                Files.writeString(file, rules("better"));
                Eventually.holds(
                        "it is in force",
                        PATIENCE,
                        () -> engine.rules().rules().get(0).name().equals("better"));
                assertThat(updater.active().rejected()).isNull();
            }
        }
    }

    private static String rules(String name) {
        return "rules:\n  - name: " + name + "\n    limits: [1 per 1s]\n";
    }

    /** A store that runs out of stack for limiters named bad. */
    private static Store failing(Store store) {
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, args) -> {
                    if (args != null && args.length > 0 && "bad".equals(args[0])) {
                        throw new StackOverflowError();
                    }
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
