package dev.sluice.examples.flashsale;

import java.time.Duration;

/**
 * What happens in a sale.
 *
 * @param stock how many there are to sell
 * @param honest buyers who use the page as it is
 * @param impatient buyers who click three times and do not wait
 * @param botAddresses addresses that bots send from, each as fast as it can
 * @param arrivals the time within which buyers come; a third of them at once
 * @param redisDies when Redis is killed
 * @param redisReturns when it is started again
 * @param atMost when everybody goes home
 */
record Plan(
        int stock,
        int honest,
        int impatient,
        int botAddresses,
        Duration arrivals,
        Duration redisDies,
        Duration redisReturns,
        Duration atMost) {
    /** About half a minute. */
    static final Plan USUAL = new Plan(
            260,
            300,
            40,
            4,
            Duration.ofSeconds(25),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofSeconds(90));

    /** A dozen seconds, for tests. */
    static final Plan SHORT = new Plan(
            100,
            120,
            16,
            3,
            Duration.ofSeconds(8),
            Duration.ofSeconds(3),
            Duration.ofSeconds(6),
            Duration.ofSeconds(90));
}
