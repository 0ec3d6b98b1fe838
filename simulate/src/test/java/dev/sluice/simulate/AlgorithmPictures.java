package dev.sluice.simulate;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Limit;
import dev.sluice.simulate.Traffic.Shape;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** The pictures of docs/algorithms.md and of the README, by file name. */
final class AlgorithmPictures {
    private static final int WIDTH = 860;
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private AlgorithmPictures() {}

    static Map<String, String> draw() {
        Map<String, String> pictures = new TreeMap<>();
        for (Algorithm algorithm : Algorithm.values()) {
            pictures.put(algorithm.text() + ".svg", scenario(algorithm.text(), Shape.FLASH_SALE));
        }
        pictures.put("fixed-window-calendar.svg", calendar());
        pictures.put("compared.svg", scenario("all", Shape.FLASH_SALE));
        pictures.put(
                "boundary.svg",
                scenario("fixed-window,fixed-window-aligned,sliding-window,sliding-log", Shape.BOUNDARY));
        pictures.put("weighted-attack.svg", weightedAttack());
        return pictures;
    }

    /** The simplest of them, for the README: one attack, one algorithm that lets it through and one that does not. */
    static Map<String, String> drawForReadme() {
        Scenario scenario = Scenario.parse(Map.of("algorithm", "fixed-window-aligned,sliding-log", "duration", "25s"));
        Map<String, String> pictures = new TreeMap<>();
        for (PictureStyle style : List.of(PictureStyle.LIGHT, PictureStyle.DARK)) {
            pictures.put(
                    "any-period-" + style.name().toLowerCase(Locale.ROOT) + ".svg",
                    ReadmePicture.draw(scenario.run(), style));
        }
        return pictures;
    }

    private static String scenario(String algorithms, Shape shape) {
        Scenario scenario = Scenario.parse(Map.of("algorithm", algorithms, "traffic", shape.text()));
        return Picture.draw(scenario.summary(), scenario.run(), WIDTH);
    }

    /** The same shape over four days, one of which has lost an hour. */
    private static String calendar() {
        Duration day = Duration.ofDays(1);
        ZoneId zone = ZoneId.of("Europe/Berlin");
        Traffic traffic = Traffic.of(Shape.FLASH_SALE, 4 * MICROSECONDS.convert(day), MICROSECONDS.convert(day), 20, 1);
        Instant start = Instant.parse("2026-03-27T23:00:00Z");
        return Picture.draw(
                "10 per day from 28 March 2026, flash-sale traffic",
                List.of(Simulation.run(
                        Limit.fixedWindow(10, ChronoUnit.DAYS, zone), day, traffic, Duration.ofHours(1), start)),
                WIDTH);
    }

    /**
     * Ten requests at the very end of a slice; ten more when that slice is the oldest and has almost, but not yet,
     * left the window: weighing it by its overlap has then forgotten nine of the ten.
     */
    private static String weightedAttack() {
        LongStream first = LongStream.range(0, 10).map(i -> 985_000 + i * 1000);
        LongStream second = LongStream.range(0, 10).map(i -> 10_970_000 + i * 1000);
        Traffic traffic = new Traffic(LongStream.concat(first, second).toArray(), 24_000_000);
        Limit.SlidingWindow strict = Limit.slidingWindow(10, PERIOD, 10);
        return Picture.draw(
                "10 per 10s, an attack on weighing",
                List.of(
                        Simulation.run(strict.weighted(), PERIOD, traffic, PERIOD),
                        Simulation.run(strict, PERIOD, traffic, PERIOD)),
                WIDTH);
    }
}
