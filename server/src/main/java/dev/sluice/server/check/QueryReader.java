package dev.sluice.server.check;

import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.server.web.HttpProblem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads a query string: each parameter is an attribute, except {@code cost}. */
final class QueryReader {
    private static final int MAX_DIGITS = Long.toString(Limit.MAX_PERMITS).length();

    private QueryReader() {}

    /** The request that a query describes: the part of {@code target} from {@code begin} on, if there is any. */
    static Request read(String target, int begin) {
        Request.Builder request = Request.builder();
        boolean hasCost = false;
        int end = target.length();
        for (int start = begin; start < end; ) {
            int next = target.indexOf('&', start);
            int stop = next < 0 ? end : next;
            if (stop > start) {
                int equals = target.indexOf('=', start);
                int nameEnd = equals < 0 || equals > stop ? stop : equals;
                String name = decoded(target, start, nameEnd);
                String value = nameEnd == stop ? "" : decoded(target, nameEnd + 1, stop);
                if (!name.equals("cost")) {
                    request.with(name, value);
                } else if (hasCost) {
                    throw HttpProblem.badRequest("cost was given twice");
                } else {
                    request.cost(cost("cost", value, 0));
                    hasCost = true;
                }
            }
            start = stop + 1;
        }
        return request.build();
    }

    /** Reads a cost of at least {@code min}. */
    static long cost(String name, String text, long min) {
        int digits = text.length();
        long cost = 0;
        boolean good = digits > 0 && digits <= MAX_DIGITS;
        for (int i = 0; good && i < digits; i++) {
            int digit = text.charAt(i) - '0';
            good = digit >= 0 && digit <= 9;
            cost = cost * 10 + digit;
        }
        if (!good || cost < min || cost > Limit.MAX_PERMITS) {
            throw HttpProblem.badRequest(name + " must be a whole number from " + min + " to " + Limit.MAX_PERMITS
                    + ", was " + HttpProblem.quoted(text));
        }
        return cost;
    }

    /** A part of a query with its percent signs and plus signs decoded. */
    private static String decoded(String text, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c == '%' || c == '+' || c >= 0x7f) {
                return decodedSlowly(text, start, end);
            }
        }
        return text.substring(start, end);
    }

    private static String decodedSlowly(String text, int start, int end) {
        byte[] bytes = new byte[end - start];
        int length = 0;
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c == '%') {
                int high = i + 2 < end ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < end ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw HttpProblem.badRequest("in a query two hexadecimal digits follow a percent sign, was "
                            + HttpProblem.quoted(text.substring(i, Math.min(i + 3, end))));
                }
                bytes[length++] = (byte) (high << 4 | low);
                i += 2;
            } else if (c >= 0x7f) {
                throw HttpProblem.badRequest(
                        "a query is ASCII, with anything else written as percent signs and digits, was "
                                + HttpProblem.quoted(text.substring(start, end)));
            } else {
                bytes[length++] = (byte) (c == '+' ? ' ' : c);
            }
        }
        return utf8(bytes, length, text.substring(start, end));
    }

    private static String utf8(byte[] bytes, int length, String from) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw HttpProblem.badRequest(
                    "what a query writes with percent signs is UTF-8, was " + HttpProblem.quoted(from));
        }
    }
}
