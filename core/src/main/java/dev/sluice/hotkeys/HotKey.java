package dev.sluice.hotkeys;

/**
 * A key and the bounds of its count: the key was recorded at least {@code atLeast} and at most {@code atMost} times
 * within the window.
 *
 * @param key the key; one of more than {@value BoundedKey#MAX_LENGTH} characters is shortened, see {@link HotKeys}
 */
public record HotKey(String key, long atLeast, long atMost) {}
