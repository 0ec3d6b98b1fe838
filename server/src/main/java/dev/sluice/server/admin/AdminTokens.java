package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that allow using the admin port. Each may have a name, which the audit log shows.
 *
 * <p>Only hashes are kept, and a token is compared with all of them in a time that does not depend on where they differ.
 */
public final class AdminTokens {
    private static final int MIN_LENGTH = 16;
    private static final int MAX_LENGTH = 512;
    private static final Pattern FORM =
            Pattern.compile("(?:(?<name>[A-Za-z0-9_.-]{1,64}):)?(?<token>[A-Za-z0-9._~+/-]+=*)");
    private static final String DEFAULT_NAME = "admin";

    /** Compared by hash alone, in constant time. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Token(String name, byte[] hash) {}

    private final List<Token> all;

    private AdminTokens(List<Token> all) {
        this.all = List.copyOf(all);
    }

    /** No tokens: nobody needs one. */
    public static AdminTokens none() {
        return new AdminTokens(List.of());
    }

    /**
     * Reads one {@code name:token} or {@code token} from each line; empty lines and lines that begin with {@code #} are
     * skipped.
     *
     * @throws IllegalArgumentException if a line is none of these; its message does not show the line
     */
    public static AdminTokens parse(String text) {
        List<Token> tokens = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().map(String::strip).toList()) {
            number++;
            if (!line.isEmpty() && !line.startsWith("#")) {
                tokens.add(token(line, number));
            }
        }
        return new AdminTokens(tokens);
    }

    private static Token token(String line, int number) {
        Matcher form = FORM.matcher(line);
        if (!form.matches()) {
            throw new IllegalArgumentException("admin token on line " + number
                    + ": expected name:token or token, of letters, digits and . _ ~ + / - only");
        }
        String token = form.group("token");
        if (token.length() < MIN_LENGTH || token.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("admin token on line " + number + ": a token has " + MIN_LENGTH + " to "
                    + MAX_LENGTH + " characters, this one has " + token.length());
        }
        String name = form.group("name");
        return new Token(name == null ? DEFAULT_NAME : name, hash(token));
    }

    /** These and the others. */
    public AdminTokens and(AdminTokens others) {
        List<Token> both = new ArrayList<>(all);
        both.addAll(others.all);
        return new AdminTokens(both);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The name of a token, or null if it is not one of these. */
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
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }
}
