/** Rate limiting in one JVM: limits, decisions, the limiter and the pacer. */
@SuppressWarnings("module") // the modules that it names are compiled later
module dev.sluice.core {
    requires static org.jspecify;

    exports dev.sluice;
    exports dev.sluice.hotkeys;
    exports dev.sluice.spi to
            dev.sluice.redis,
            dev.sluice.rules;
    exports dev.sluice.text to
            dev.sluice.rules,
            dev.sluice.server,
            dev.sluice.simulate,
            dev.sluice.spring,
            dev.sluice.spring.gateway;

    uses dev.sluice.LocalProvider;

    provides dev.sluice.LocalProvider with
            dev.sluice.local.LocalStoreProvider;
}
