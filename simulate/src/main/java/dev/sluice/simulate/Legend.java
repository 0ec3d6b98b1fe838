package dev.sluice.simulate;

import dev.sluice.simulate.svg.Svg;
import java.util.List;

/** What the marks of a picture mean, in as many lines as it takes. Lengths are tenths of a pixel. */
final class Legend {
    private static final long SWATCH = 200;
    private static final long GAP = 170;

    /**
     * One mark and its meaning.
     *
     * @param type the class of the mark
     */
    record Item(String type, String text) {
        private long width() {
            return SWATCH + textWidth(text) + GAP;
        }
    }

    private final List<Item> items;
    private final long left;
    private final long right;
    private final long line;

    Legend(List<Item> items, long left, long right, long line) {
        this.items = List.copyOf(items);
        this.left = left;
        this.right = right;
        this.line = line;
    }

    /** About how wide a text of 12 pixels is; no font is at hand. */
    static long textWidth(String text) {
        return text.chars().mapToLong(c -> c >= 0x2e80 ? 120 : 62).sum();
    }

    long height() {
        return draw(new Svg(), 0) + line;
    }

    /** Draws it from a first line on, and returns how far below that the last line is. */
    long draw(Svg svg, long firstLine) {
        long x = left;
        long y = firstLine;
        for (Item item : items) {
            if (x > left && x + item.width() > right) {
                x = left;
                y += line;
            }
            switch (item.type) {
                case "window" -> svg.line("window", x + 70, y - 100, x + 70, y + 20);
                case "start" -> svg.rect("start", x + 60, y - 80, 14, 80);
                case "yes", "no" -> svg.rect(item.type, x + 40, y - 75, 70, 70);
                default -> svg.rect(item.type, x, y - 85, 140, 90);
            }
            svg.text("legend", x + SWATCH, y, item.text);
            x += item.width();
        }
        return y - firstLine;
    }
}
