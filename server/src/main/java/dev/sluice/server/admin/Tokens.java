package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the admin port. Each token may have a name, which the audit log shows.
 *
 * <p>Only hashes are kept, and a token is compared with all of them in a time that does not depend on where they differ.
 */
public final class Tokens {
    private static final int LEAST_LENGTH = 16;
    private static final int MOST_LENGTH = 512;
    private static final Pattern FORM =
            Pattern.compile("(?:(?<name>[A-Za-z0-9_.-]{1,64}):)?(?<token>[A-Za-z0-9._~+/-]+=*)");
    private static final String NAMELESS = "admin";

    private static final class Token {
        final String name;
        final byte[] hash;

        Token(String name, byte[] hash) {
            this.name = name;
            this.hash = hash;
        }
    }

    private final List<Token> all;

    private Tokens(List<Token> all) {
        this.all = List.copyOf(all);
    }

    /** Nobody needs a token. */
    public static Tokens none() {
        return new Tokens(List.of());
    }

    /**
     * One {@code name:token} or {@code token} on each line; empty lines and those that begin with {@code #} say nothing.
     *
     * @throws IllegalArgumentException if a line is neither, without showing what is on it
     */
    public static Tokens parse(String text) {
        List<Token> tokens = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().map(String::strip).toList()) {
            number++;
            if (!line.isEmpty() && !line.startsWith("#")) {
                tokens.add(token(line, number));
            }
        }
        return new Tokens(tokens);
    }

    private static Token token(String line, int number) {
        Matcher form = FORM.matcher(line);
        if (!form.matches()) {
            throw new IllegalArgumentException("admin token on line " + number
                    + ": expected name:token or token, of letters, digits and . _ ~ + / - only");
        }
        String token = form.group("token");
        if (token.length() < LEAST_LENGTH || token.length() > MOST_LENGTH) {
            throw new IllegalArgumentException("admin token on line " + number + ": a token has " + LEAST_LENGTH
                    + " to " + MOST_LENGTH + " characters, this one has " + token.length());
        }
        String name = form.group("name");
        return new Token(name == null ? NAMELESS : name, hash(token));
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The name of a token, or null if it is none of these. */
    @Nullable
    String nameOf(String token) {
        byte[] hash = hash(token);
        String found = null;
        for (Token each : all) {
            if (MessageDigest.isEqual(each.hash, hash)) {
                found = each.name;
            }
        }
        return found;
    }

    private static byte[] hash(String token) {
        return Digests.sha256(token.getBytes(UTF_8));
    }
}
