package dev.sluice.simulate.log.format;

/** Values as nginx and Apache escape them: {@code \x22}, {@code \"}, {@code \\}, {@code \n}, {@code \t}. */
final class Escapes {
    private Escapes() {}

    /** Writes the value into {@code into}, which is at least as long, and returns its length. */
    static int unescape(byte[] line, int from, int to, byte[] into) {
        int length = 0;
        for (int at = from; at < to; at++) {
            byte letter = line[at];
            if (letter != '\\' || at + 1 == to) {
                into[length++] = letter;
                continue;
            }
            byte next = line[++at];
            if (next == 'x' && at + 2 < to && isHex(line[at + 1]) && isHex(line[at + 2])) {
                into[length++] = (byte) (Character.digit(line[at + 1], 16) << 4 | Character.digit(line[at + 2], 16));
                at += 2;
            } else {
                into[length++] = plain(next);
            }
        }
        return length;
    }

    private static byte plain(byte letter) {
        return switch (letter) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'v' -> 0x0b;
            default -> letter;
        };
    }

    private static boolean isHex(byte letter) {
        return Character.digit(letter, 16) >= 0;
    }
}
