/** Simulation: what limits do to traffic of a given shape, as numbers and as a picture. */
module dev.sluice.simulate {
    requires static org.jspecify;
    requires transitive dev.sluice.core;

    exports dev.sluice.simulate;
}
