package dev.sluice.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** A script: its text, and the digest by which Redis knows it once it has run. */
public record Script(String text, String sha) {
    /** The most limits of one script: Lua allows 200 local names. */
    public static final int MAX_LIMITS = 8;

    /**
     * The part of one limit in a script.
     *
     * @param algorithm the name of the algorithm's file
     * @param earlier how many more keys it has, one of whose counts it continues
     * @param returns whether its own state may be older than those
     */
    record Part(String algorithm, int earlier, boolean returns) {}

    private record Recipe(String main, boolean alone, String clock, List<Part> parts) {}

    /** Scripts by their parts; there are few, because the numbers of the limits are arguments. */
    private static final ConcurrentHashMap<Recipe, Script> KNOWN = new ConcurrentHashMap<>();

    /** The script {@code main} for limits of these algorithms; {@code clock} is the text that reads the time. */
    static Script of(String main, String clock, List<Part> parts) {
        return of(main, false, clock, parts);
    }

    /** The same for one request, where {@code main} is for several. */
    static Script alone(String main, String clock, List<Part> parts) {
        return of(main, true, clock, parts);
    }

    private static Script of(String main, boolean alone, String clock, List<Part> parts) {
        if (parts.size() > MAX_LIMITS) {
            throw new IllegalArgumentException(
                    "a limiter on Redis has at most " + MAX_LIMITS + " limits, was given " + parts.size());
        }
        return KNOWN.computeIfAbsent(new Recipe(main, alone, clock, parts), recipe -> {
            String text = new ScriptAssembly(recipe.clock, recipe.parts, recipe.alone).assemble(file(recipe.main));
            return new Script(text, sha(text));
        });
    }

    /** A script that is one file, and is run as it is. */
    public static Script standAlone(String name) {
        String text = file(name);
        return new Script(text, sha(text));
    }

    /** The text of a script file. */
    public static String file(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + ".lua is missing from the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the script " + name + ".lua cannot be read", e);
        }
    }

    private static String sha(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
