/** Rate limiting in one JVM: limits, decisions, the limiter and the pacer. */
module dev.sluice.core {
    requires static org.jspecify;

    exports dev.sluice;
}
