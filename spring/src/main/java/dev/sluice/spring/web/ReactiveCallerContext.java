package dev.sluice.spring.web;

import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Finds the {@link CallerContext} in Reactor's context. */
public final class ReactiveCallerContext {
    /** The key under which the filter puts the exchange into the context. */
    static final String EXCHANGE = "dev.sluice.exchange";

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.context.ReactiveSecurityContextHolder",
            ReactiveCallerContext.class.getClassLoader());

    private ReactiveCallerContext() {}

    /** The context of the subscription; that of the current thread if Reactor has neither exchange nor user. */
    public static Mono<CallerContext> current() {
        return Mono.deferContextual(context -> {
            Object exchange = context.getOrDefault(EXCHANGE, null);
            Mono<Optional<Principal>> user = SECURITY ? Security.principal() : Mono.just(Optional.empty());
            return user.map(principal -> caller(exchange, principal.orElse(null)));
        });
    }

    /** The exchange in the context; else the web request of the current thread; null if there is none. */
    public static @Nullable Object request(ContextView context) {
        Object exchange = context.getOrDefault(EXCHANGE, null);
        return exchange == null ? CallerContext.currentRequest() : exchange;
    }

    private static CallerContext caller(@Nullable Object exchange, @Nullable Principal principal) {
        return exchange == null && principal == null ? CallerContext.current() : new CallerContext(exchange, principal);
    }

    private static final class Security {
        static Mono<Optional<Principal>> principal() {
            return ReactiveSecurityContextHolder.getContext()
                    .map(context -> Optional.ofNullable(CallerContext.Security.principal(context)))
                    .defaultIfEmpty(Optional.empty());
        }
    }
}
