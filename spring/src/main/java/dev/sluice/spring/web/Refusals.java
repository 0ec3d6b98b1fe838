package dev.sluice.spring.web;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RateLimitedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Makes the refusal of a denied request, by the application's {@link RefusalCustomizer}s. */
public final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalCustomizer.class);
    private static final int MAX_CAUSES = 50;

    /** Looked up at the first refusal, since filters are created before most other beans. */
    private final SingletonSupplier<List<RefusalCustomizer>> customizers;
    /** Whether the log has a stack trace already. Refusals are many, and one is enough. */
    private final AtomicBoolean traced = new AtomicBoolean();

    public Refusals(ObjectProvider<RefusalCustomizer> customizers) {
        this.customizers =
                SingletonSupplier.of(() -> customizers.orderedStream().toList());
    }

    /**
     * The refusal of a request.
     *
     * @param denied the verdict that denies it
     * @param status the status to begin with; null for 429
     */
    public Refusal of(Verdict denied, WebRequestAdapter request, @Nullable Integer status) {
        Verdict all = ShownVerdicts.with(request, denied);
        Refusal refusal = status == null ? Refusal.of(all) : Refusal.of(all).withStatus(status);
        request.attribute(RateLimitAttributes.REFUSED, true);
        RateLimitObservations.note(denied, request.observation());
        RefusedRequest refused = new RefusedRequest(all, request);
        for (RefusalCustomizer customizer : customizers.obtain()) {
            refusal = customized(customizer, refusal, refused);
        }
        return refusal;
    }

    @SuppressWarnings("ConstantValue") // An application's code may return null.
    private Refusal customized(RefusalCustomizer customizer, Refusal refusal, RefusedRequest request) {
        try {
            @Nullable Refusal customized = customizer.customize(refusal, request);
            if (customized != null) {
                return customized;
            }
            LOG.error("{} returned null for a request that rule '{}' denied", customizer, request.rule());
        } catch (RuntimeException | LinkageError e) {
            String problem = customizer + " failed on a request that rule '" + request.rule() + "' denied: " + e;
            LOG.error(problem, traced.getAndSet(true) ? null : e);
        }
        return refusal;
    }

    /** The body of a refusal as it is sent; null if its status allows none. */
    public static byte @Nullable [] content(Refusal refusal) {
        return refusal.content();
    }

    /** The {@link RateLimitedException} that a failure is or was caused by; null if there is none. */
    public static @Nullable RateLimitedException find(@Nullable Throwable failure) {
        Throwable each = failure;
        for (int i = 0; each != null && i < MAX_CAUSES; i++) {
            if (each instanceof RateLimitedException limited) {
                return limited;
            }
            each = each.getCause();
        }
        return null;
    }
}
