package dev.sluice.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.examples.flashsale.FlashSale.Result;
import dev.sluice.examples.flashsale.Tally.Call;
import dev.sluice.examples.flashsale.Tally.End;
import dev.sluice.examples.flashsale.Tally.Event;
import dev.sluice.examples.flashsale.Tally.Who;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short sale: real nginx, service, shops, Redis and database, and a real crowd. */
@Tag("full")
class FlashSaleTest {
    private static final Path ROOT = Path.of("..", "..");

    @Test
    void theSaleIsFairAndExactAlsoWhenRedisDies() throws Exception {
        Assumptions.assumeTrue(
                Files.isDirectory(ROOT.resolve("server/target/lib")),
                "the service is not packaged; ./verify does that");
        Assumptions.assumeTrue(
                Programs.find("SLUICE_NGINX", "nginx").isPresent(), "no nginx here; ./verify installs it");
        Plan plan = Plan.SHORT;
        Result result;
        int honest;
        try (Programs programs = Programs.none()) {
            Layers layers = new Layers(programs, ROOT, plan.stock());
            result = new FlashSale(plan, layers, System.out).run();
            honest = layers.warehouse().soldTo("honest-");
        }
        assertThat(result.stock().sold()).as("sold").isEqualTo(plan.stock());
        assertThat(result.stock().unsold()).as("unsold").isZero();
        assertThat(result.stock().paid()).as("paid").isEqualTo(plan.stock());
        assertThat(result.sums()).as("sold and unsold together, at every look").containsOnly(plan.stock());
        assertThat(honest).as("sold to honest buyers").isGreaterThan(plan.stock() / 2);

        Tally tally = result.tally();
        assertThat(Table.stoppedEarly(tally, Who.BOT))
                .as("share of what bots sent that did not reach the shop")
                .isGreaterThan(0.75);
        assertThat(refused(tally, Call.PAYMENT))
                .as("share of payments that the shop refused: core requests come first")
                .isLessThan(refused(tally, Call.STOCK) / 4);
        assertThat(result.metrics().queued()).as("waited at the door").isPositive();

        assertThat(result.soldBeforeReturn()).as("sold before Redis returned").isPositive();
        assertThat(result.metrics().serviceWithoutRedis())
                .as("decided by the service alone")
                .isPositive();
        assertThat(result.metrics().shopWithoutRedis())
                .as("decided by the shops alone")
                .isPositive();
        assertThat(result.metrics().usingRedis())
                .as("service and shops on Redis again")
                .isEqualTo(3);
    }

    /** The share of some calls, of those that reached the shop, that it refused or answered with less. */
    private static double refused(Tally tally, Call call) {
        Predicate<Event> reached = event -> event.call() == call && event.reachedShop();
        return tally.share(reached, event -> event.end() == End.REFUSED_BY_SHOP || event.end() == End.DEGRADED);
    }
}
