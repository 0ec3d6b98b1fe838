package dev.sluice.simulate.generate;

import java.util.List;

/** The pages of the site whose log is generated, and who comes to see them. */
final class Site {
    static final int PRODUCTS = 5000;

    private static final List<String> SECTIONS = List.of("/", "/about", "/contact", "/basket", "/help", "/offers");
    private static final List<String> ASSETS = List.of(
            "/static/site.css", "/static/site.js", "/static/logo.svg", "/static/font.woff2", "/static/icons.svg");
    private static final List<String> WORDS =
            List.of("lamp", "chair", "desk", "shelf", "rug", "vase", "clock", "mirror", "sofa", "bench");

    static final List<String> BROWSERS = List.of(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15",
            "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0");
    static final List<String> CRAWLERS = List.of(
            "Mozilla/5.0 (compatible; Examplebot/2.1; +https://bot.example/about)",
            "Mozilla/5.0 (compatible; Searchbot/1.4; +https://search.example/bot)",
            "IndexerBot/3.0 (+https://indexer.example)");
    static final String APP = "ShopApp/4.2.1 (Android 16)";
    static final String MONITOR = "UptimeCheck/2.0";
    static final String PARTNER = "PartnerSync/1.8 (java/21)";

    private Site() {}

    /** A page that a person opens; few products are seen by most. */
    static String page(Dice dice) {
        if (dice.chance(0.35)) {
            return dice.choose(SECTIONS);
        }
        if (dice.chance(0.12)) {
            return "/search?q=" + dice.choose(WORDS);
        }
        return product((int) (PRODUCTS * StrictMath.pow(dice.uniform(), 4)));
    }

    static String product(int number) {
        return "/products/" + number;
    }

    static String asset(Dice dice) {
        return dice.chance(0.6) ? dice.choose(ASSETS) : "/images/" + dice.below(PRODUCTS) + ".webp";
    }

    /** The number of bytes of a page. */
    static long size(Dice dice) {
        return 2000L + dice.below(40_000);
    }
}
