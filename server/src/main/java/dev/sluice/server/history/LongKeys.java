package dev.sluice.server.history;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keys that are too long for a {@link dev.sluice.hotkeys.HotKeys}: it gets their beginning and a hash in their place, and
 * the keys themselves are here, those that came last.
 *
 * <p>Why the last ones suffice: a key that comes often came a moment ago. The memory is bounded, and no request waits for
 * it: a key that comes while another is being kept is left out, and kept the next time.
 *
 * <p>Why a cryptographic hash: clients choose the keys, and two of them with one hash would be taken for one. It is the
 * same on every server, so that their counts can be added.
 */
final class LongKeys {
    /** The longest that is kept whole. */
    static final int MAX_LENGTH = 16 * 1024;

    private static final int MAX_CHARACTERS = 16 * MAX_LENGTH;
    private static final int BEGINNING = 24;
    private static final int HASH_BYTES = 16;
    private static final int SHORTENED_LENGTH = BEGINNING + 1 + 2 * HASH_BYTES;

    private final ReentrantLock lock = new ReentrantLock();
    /** By what stands in their place, the one that came last at the end. Guarded by the lock, as is the sum. */
    private final Map<String, String> whole = new LinkedHashMap<>(16, 0.75f, true);

    private int characters;

    /** The key, or what stands in its place. */
    String kept(String key) {
        if (key.length() < SHORTENED_LENGTH) {
            return key;
        }
        String shortened = shortened(key);
        if (key.length() <= MAX_LENGTH && lock.tryLock()) {
            try {
                remember(shortened, key);
            } finally {
                lock.unlock();
            }
        }
        return shortened;
    }

    private void remember(String shortened, String key) {
        if (whole.get(shortened) == null) {
            whole.put(shortened, key);
            characters += key.length();
            Iterator<String> oldest = whole.values().iterator();
            while (characters > MAX_CHARACTERS) {
                characters -= oldest.next().length();
                oldest.remove();
            }
        }
    }

    /** Whether this stands in the place of a key: it is as long as no key that is kept itself. */
    static boolean isShortened(String kept) {
        return kept.length() == SHORTENED_LENGTH;
    }

    /** The key in whose place this stands, if it came of late. */
    Optional<String> whole(String shortened) {
        lock.lock();
        try {
            return Optional.ofNullable(whole.get(shortened));
        } finally {
            lock.unlock();
        }
    }

    private static String shortened(String key) {
        StringBuilder shortened = new StringBuilder(SHORTENED_LENGTH).append(key, 0, BEGINNING);
        for (int i = 0; i < BEGINNING; i++) {
            if (Character.isSurrogate(shortened.charAt(i))) { // half of one cannot be sent
                shortened.setCharAt(i, '_');
            }
        }
        return shortened
                .append('~')
                .append(HexFormat.of().formatHex(hash(key), 0, HASH_BYTES))
                .toString();
    }

    private static byte[] hash(String key) {
        ByteBuffer characters = ByteBuffer.allocate(2 * key.length());
        characters.asCharBuffer().put(key);
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            hash.update(characters);
            return hash.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
