package dev.sluice.hotkeys;

/**
 * Hears which keys become hot and which cool down. The calls come one at a time, in order, on the threads that use the
 * {@link HotKeys}. A key that changes back before the listener heard of the change is left out.
 *
 * <p>Whatever a method throws is logged and goes no further, an {@link Error} too.
 */
public interface HotKeyListener {
    /** The key has become hot; the bounds are those at the moment it did. */
    void becameHot(HotKey key);

    /** The key is no longer hot; the bounds are those at the moment it cooled down. */
    void cooledDown(HotKey key);
}
