/** Simulation: what limits do to traffic of a given shape, and what rules do to the traffic of a log. */
module dev.sluice.simulate {
    requires static org.jspecify;
    requires transitive dev.sluice.core;
    requires transitive dev.sluice.rules;
    requires aircompressor;

    exports dev.sluice.simulate;
    exports dev.sluice.simulate.generate;
    exports dev.sluice.simulate.judge;
    exports dev.sluice.simulate.log;
    exports dev.sluice.simulate.log.file;
    exports dev.sluice.simulate.replay;
    exports dev.sluice.simulate.suggest;
}
