package dev.sluice.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** A person in front of the pages of one admin port, with a real browser of their own. */
final class PageSession implements AutoCloseable {
    private final Browser browser;
    private final int adminPort;

    private PageSession(Browser browser, int adminPort) {
        this.browser = browser;
        this.adminPort = adminPort;
    }

    static PageSession open(int adminPort) throws IOException {
        Optional<Path> chromium = Browser.find();
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium here; ./verify installs it");
        return new PageSession(Browser.open(chromium.orElseThrow(), "about:blank"), adminPort);
    }

    Browser browser() {
        return browser;
    }

    String url(String path) {
        return "http://127.0.0.1:" + adminPort + path;
    }

    /** Opens a page and waits until it has its texts. */
    void go(String path) throws InterruptedException {
        leave(url(path));
        browser.await("'ready' in document.documentElement.dataset", "true");
    }

    /** Opens an address, whatever comes from it. */
    void leave(String url) throws InterruptedException {
        browser.evaluate("window.left = true");
        browser.go(url);
        browser.await("window.left", "undefined");
    }

    void click(String selector) {
        browser.evaluate("document.querySelector('" + selector + "').scrollIntoView({block: 'center'})");
        browser.click(selector);
    }

    void awaitText(String selector, String part) throws InterruptedException {
        browser.await(
                "document.querySelector('" + selector + "')?.textContent.includes(" + literal(part) + ")", "true");
    }

    void awaitTrue(String expression) throws InterruptedException {
        browser.await(expression, "true");
    }

    String text(String selector) {
        return browser.evaluate("document.querySelector('" + selector + "')?.textContent");
    }

    /** Changes the rules in the editor. */
    void replace(String from, String to) {
        browser.evaluate("(field => { field.value = field.value.replace(" + literal(from) + ", " + literal(to)
                + "); field.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('text'))");
    }

    /** A text as JavaScript has it. */
    static String literal(String text) {
        return new JsonObject().put("v", text).encode() + ".v";
    }

    List<String> problems() {
        return browser.problems();
    }

    @Override
    public void close() throws IOException {
        browser.close();
    }
}
