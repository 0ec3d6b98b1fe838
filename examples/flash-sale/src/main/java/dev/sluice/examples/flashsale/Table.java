package dev.sluice.examples.flashsale;

import dev.sluice.examples.flashsale.Tally.Call;
import dev.sluice.examples.flashsale.Tally.End;
import dev.sluice.examples.flashsale.Tally.Event;
import dev.sluice.examples.flashsale.Tally.Who;
import dev.sluice.examples.flashsale.shop.Warehouse;
import java.time.Duration;
import java.util.Locale;

/** The table that the terminal shows. */
final class Table {
    private final Tally tally;
    private final Warehouse warehouse;

    Table(Tally tally, Warehouse warehouse) {
        this.tally = tally;
        this.warehouse = warehouse;
    }

    String draw(Duration time, String redis, Metrics.Snapshot metrics) {
        StringBuilder out = new StringBuilder()
                .append(time.toSeconds())
                .append(" s, Redis is ")
                .append(redis)
                .append("\n\n");
        long clicks = tally.count(event -> true);
        long sent = tally.count(Event::sent);
        long asked = tally.count(Event::reachedService);
        long shop = tally.count(Event::reachedShop);
        long refused = tally.count(End.REFUSED_BY_SHOP);
        row(out, "layer", "came", "passed", "refused", "queued", "degraded", "no Redis");
        row(out, "browser: the button", clicks, sent, clicks - sent);
        row(out, "nginx: limit_req", sent, asked, sent - asked);
        row(out, "service: rules", asked, shop, asked - shop, metrics.queued(), "", metrics.serviceWithoutRedis());
        row(
                out,
                "2 shops: methods",
                shop,
                shop - refused,
                refused,
                "",
                tally.count(End.DEGRADED),
                metrics.shopWithoutRedis());

        row(out.append('\n'), "call, at the shop", "came", "served", "refused", "", "degraded");
        for (Call call : Call.values()) {
            long served = count(call, End.SERVED) + count(call, End.SOLD_OUT);
            long denied = count(call, End.REFUSED_BY_SHOP);
            long degraded = count(call, End.DEGRADED);
            row(out, name(call), served + denied + degraded, served, denied, "", degraded);
        }

        row(out.append('\n'), "who", "sent", "stopped", "bought");
        for (Who who : Who.values()) {
            long all = tally.count(event -> event.who() == who && event.sent());
            String stopped = Math.round(100 * stoppedEarly(tally, who)) + "%";
            row(out, name(who), all, stopped, warehouse.soldTo(name(who) + "-"));
        }
        Warehouse.Count stock = warehouse.count();
        return out.append("\nstock: ")
                .append(stock.unsold() + " unsold, " + stock.sold() + " sold, " + stock.paid() + " paid")
                .append(tally.count(End.FAILED) == 0 ? "\n" : "; " + tally.count(End.FAILED) + " requests failed\n")
                .toString();
    }

    /** The share of what somebody sent that did not reach the shop. */
    static double stoppedEarly(Tally tally, Who who) {
        return tally.share(event -> event.who() == who && event.sent(), event -> !event.reachedShop());
    }

    private long count(Call call, End end) {
        return tally.count(event -> event.call() == call && event.end() == end);
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** A name, and cells of ten characters, or more if they need more. */
    private static void row(StringBuilder out, String name, Object... cells) {
        out.append(String.format(Locale.ROOT, "%-20s", name));
        for (Object cell : cells) {
            out.append(String.format(Locale.ROOT, "%10s", cell));
        }
        out.append('\n');
    }
}
