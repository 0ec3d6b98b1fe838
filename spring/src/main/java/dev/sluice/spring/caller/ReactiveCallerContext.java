package dev.sluice.spring.caller;

import dev.sluice.spring.web.WebRequestAdapter;
import dev.sluice.spring.web.reactive.ExchangeAdapter;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Finds the {@link CallerContext} in Reactor's context. */
public final class ReactiveCallerContext {
    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.context.ReactiveSecurityContextHolder",
            ReactiveCallerContext.class.getClassLoader());

    private ReactiveCallerContext() {}

    /** The context of the subscription; that of the current thread if Reactor has neither exchange nor user. */
    public static Mono<CallerContext> current() {
        return Mono.deferContextual(context -> {
            Object exchange = context.getOrDefault(ExchangeAdapter.IN_CONTEXT, null);
            Mono<Optional<Principal>> user = SECURITY ? Security.principal() : Mono.just(Optional.empty());
            return user.map(principal -> caller(exchange, principal.orElse(null)));
        });
    }

    /** The exchange in the context; else the web request of the current thread; null if there is none. */
    public static @Nullable WebRequestAdapter request(ContextView context) {
        Object exchange = context.getOrDefault(ExchangeAdapter.IN_CONTEXT, null);
        return exchange == null ? CallerContext.currentAdapter() : CallerContext.adapter(exchange, null);
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
