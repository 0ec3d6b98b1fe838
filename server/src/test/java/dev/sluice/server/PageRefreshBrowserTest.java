package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Signal;
import dev.sluice.server.ServerSettings.Address;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A page that is left open: how soon it shows what happens, and what it says while the server is away. */
@Tag("full")
class PageRefreshBrowserTest {
    private static final String RULES = IntStream.range(0, 40)
            .mapToObj(i -> "  - { name: rule-" + i + ", key: [user], limits: [5 per 1h] }\n")
            .collect(Collectors.joining("", "rules:\n", ""));
    /** The calls of the page for what is shown, as far as they have been answered. */
    private static final String REFRESHES =
            "performance.getEntriesByType('resource').filter(each => each.name.endsWith('/v1/live')).length";

    private static Service at(int adminPort) {
        return new Service(Service.settings(RULES)
                .at(new Address(Address.LOOPBACK, 0), new Address(Address.LOOPBACK, adminPort))
                .grace(Duration.ZERO));
    }

    /**
     * A page asks once a second. What happened before a call is shown by it, so a key is shown by the second call that is
     * answered after it came: one may be under way.
     */
    @Test
    void aHotKeyAndALimitedKeyAppearWithTheSecondRefresh() throws Exception {
        try (Service service = at(0);
                PageSession page = PageSession.open(service.server().adminPort())) {
            page.browser().emulate(1280, 4000, Map.of());
            page.go("/");
            page.awaitTrue("document.querySelectorAll('.rule canvas').length >= 20");
            for (int i = 0; i < 150; i++) {
                service.get("/v1/check?user=eve");
            }
            int before = Integer.parseInt(page.browser().evaluate(REFRESHES));
            page.browser()
                    .evaluate(
                            "(() => { window.shown = {}; new MutationObserver(() => { for (const list of ['limited', 'hot'])"
                                    + " if (!(list in shown) && document.getElementById(list).textContent.includes('eve'))"
                                    + " shown[list] = " + REFRESHES
                                    + "; }).observe(document.body, {childList: true, subtree: true}); })()");
            page.awaitText("#limited", "eve");
            page.awaitText("#hot", "eve");
            for (String list : new String[] {"limited", "hot"}) {
                String shown = page.browser().evaluate("shown." + list + " ?? 0"); // 0: it was shown before
                assertThat(Integer.parseInt(shown)).as(list).isLessThanOrEqualTo(before + 2);
            }
            page.browser().evaluate("performance.clearResourceTimings()");
            page.browser().run("await new Promise(done => setTimeout(done, 5000)); return 0");
            assertThat(Integer.parseInt(page.browser().evaluate(REFRESHES)))
                    .as("refreshes in five seconds, beside the charts of forty rules")
                    .isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void aPageThatIsOpenGoesOnAfterARestart() throws Exception {
        Service first = at(0);
        int port = first.server().adminPort();
        try (PageSession page = PageSession.open(port)) {
            page.go("/");
            page.awaitTrue("document.querySelectorAll('.rule').length > 0");
            first.close();
            page.awaitText("#trouble", "the server does not answer");
            try (Service second = at(port)) {
                page.awaitTrue("document.getElementById('trouble').hidden");
                for (int i = 0; i < 10; i++) {
                    second.get("/v1/check?user=mallory");
                }
                page.awaitText("#limited", "mallory");
            }
        }
    }

    @Test
    void theDenialsGoOnAfterARestart() throws Exception {
        Service first = at(0);
        int port = first.server().adminPort();
        try (PageSession page = PageSession.open(port)) {
            page.go("/explain");
            page.awaitTrue("document.getElementById('denials-trouble').textContent === ''");
            first.close();
            page.awaitText("#denials-trouble", "No denials arrive");
            try (Service second = at(port)) {
                page.awaitTrue("document.getElementById('denials-trouble').textContent === ''");
                for (int i = 0; i < 10; i++) {
                    second.get("/v1/check?user=mallory");
                }
                page.awaitText("#denials", "mallory");
            }
        }
    }

    /** A server that neither answers nor hangs up: frozen, or behind a network that drops everything. */
    @Test
    void aServerThatIsFrozenDoesNotAnswer() throws Exception {
        try (ServeProcess server = ServeProcess.start(Map.of());
                PageSession page = PageSession.open(server.adminPort())) {
            page.go("/");
            page.awaitTrue("document.getElementById('qps').textContent !== '–'");
            server.send(Signal.STOP);
            try {
                page.awaitText("#trouble", "the server does not answer");
            } finally {
                server.send(Signal.CONT);
            }
            page.awaitTrue("document.getElementById('trouble').hidden");
        }
    }
}
