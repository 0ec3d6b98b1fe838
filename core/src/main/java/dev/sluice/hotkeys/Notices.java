package dev.sluice.hotkeys;

import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a listener has not heard yet. One thread at a time tells it, so that it hears of a key in order.
 *
 * <p>A change that is undone before it was told is dropped with what undoes it. So there are never more notices than
 * keys that are hot and keys that the listener believes to be hot, however slow it is.
 */
final class Notices {
    private static final System.Logger LOG = System.getLogger(HotKeys.class.getName());

    private record Notice(HotKey key, boolean hot) {}

    private final HotKeyListener listener;
    private final ReentrantLock telling = new ReentrantLock();
    /** Guarded by itself. */
    private final Map<String, Notice> waiting = new LinkedHashMap<>();

    private volatile boolean any;

    Notices(HotKeyListener listener) {
        this.listener = listener;
    }

    void add(HotKey key, boolean hot) {
        synchronized (waiting) {
            if (waiting.remove(key.key()) == null) {
                waiting.put(key.key(), new Notice(key, hot));
            }
            any = !waiting.isEmpty();
        }
    }

    /** Tells the listener what it has not heard. If another call does so already, that one goes on with it. */
    void tell() {
        while (any && !telling.isHeldByCurrentThread() && telling.tryLock()) {
            try {
                for (Notice notice = next(); notice != null; notice = next()) {
                    tell(notice);
                }
            } finally {
                telling.unlock();
            }
        }
    }

    private @Nullable Notice next() {
        synchronized (waiting) {
            Iterator<Notice> notices = waiting.values().iterator();
            if (!notices.hasNext()) {
                any = false;
                return null;
            }
            Notice next = notices.next();
            notices.remove();
            return next;
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private void tell(Notice notice) {
        try {
            if (notice.hot) {
                listener.becameHot(notice.key);
            } else {
                listener.cooledDown(notice.key);
            }
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "a listener failed on " + notice, e);
        }
    }
}
