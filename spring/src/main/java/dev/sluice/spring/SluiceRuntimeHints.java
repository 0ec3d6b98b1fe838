package dev.sluice.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * What a native image must have beside the classes: the Lua scripts that run on Redis, and the redirects of Servlet 6.1,
 * which are looked up.
 */
final class SluiceRuntimeHints implements RuntimeHintsRegistrar {
    private static final String FOLDER = "dev/sluice/redis/script/";
    private static final List<String> SCRIPTS = List.of(
            "concurrency",
            "decide",
            "fixed-window",
            "lease",
            "numbers",
            "renew",
            "server-time",
            "settle",
            "sliding-log",
            "sliding-window",
            "state",
            "token-bucket",
            "usage");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, "jakarta.servlet.http.HttpServletResponse", MemberCategory.INVOKE_PUBLIC_METHODS);
        SCRIPTS.forEach(script -> hints.resources().registerPattern(FOLDER + script + ".lua"));
    }
}
