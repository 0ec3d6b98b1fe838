package dev.sluice;

import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Makes the limiters and stores of this JVM, for {@link Limiter#local}, {@link Limiter#builder} and {@link Store#builder}.
 * The store in this process provides it, and is found by {@link ServiceLoader}.
 */
public abstract class LocalProvider {
    private static final class Holder {
        private static final Optional<LocalProvider> FOUND = ServiceLoader.load(
                        LocalProvider.class, LocalProvider.class.getClassLoader())
                .findFirst();
    }

    protected LocalProvider() {}

    static LocalProvider get() {
        return Holder.FOUND.orElseThrow(() -> new IllegalStateException("no provider of "
                + LocalProvider.class.getName()
                + " was found: a jar that repackages sluice-core must keep its META-INF/services"));
    }

    /** A limiter with options. */
    protected abstract LimiterBuilder builder(Limit... limits);

    /** A store with options. */
    protected abstract StoreBuilder storeBuilder();
}
