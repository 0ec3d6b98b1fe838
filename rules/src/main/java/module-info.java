/** Rules: which requests are limited, by what, and what came of it. */
module dev.sluice.rules {
    requires static org.jspecify;
    requires transitive dev.sluice.core;
    requires com.maxmind.db;
    requires org.snakeyaml.engine;

    exports dev.sluice.rules;
    exports dev.sluice.rules.engine;
    exports dev.sluice.rules.file;
    exports dev.sluice.rules.match;
    exports dev.sluice.rules.watch;
}
