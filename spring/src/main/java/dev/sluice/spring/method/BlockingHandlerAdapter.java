package dev.sluice.spring.method;

import dev.sluice.spring.caller.CallHeaders;
import dev.sluice.spring.caller.ReactiveCallHeaders;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodClassKey;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Calls the handler methods of WebFlux that have a limit and return a value, such as a {@code String}, on a thread that may
 * block: on the event loop they could wait neither for Redis nor for permits.
 *
 * <p>It uses an adapter of its own, set up like the application's, because that one may have an executor for other methods
 * already, and does not tell.
 */
final class BlockingHandlerAdapter implements HandlerAdapter, Ordered {
    private final SingletonSupplier<RequestMappingHandlerAdapter> blocking;
    private final RateLimitAnnotations annotations = new RateLimitAnnotations();
    /** By method and controller, since controllers inherit methods. */
    private final Map<MethodClassKey, Boolean> known = new ConcurrentHashMap<>();

    /** {@code executor}: where to call the methods; null for Reactor's {@code boundedElastic}. */
    BlockingHandlerAdapter(
            ApplicationContext context,
            ObjectProvider<RequestMappingHandlerAdapter> configured,
            @Nullable Executor executor) {
        Executor chosen = executor == null ? task -> Schedulers.boundedElastic().schedule(task) : executor;
        this.blocking = SingletonSupplier.of(
                () -> like(configured.getObject(), context, task -> chosen.execute(() -> CallHeaders.gather(task))));
    }

    private static RequestMappingHandlerAdapter like(
            RequestMappingHandlerAdapter configured, ApplicationContext context, Executor executor) {
        try {
            RequestMappingHandlerAdapter adapter = new RequestMappingHandlerAdapter();
            adapter.setMessageReaders(configured.getMessageReaders());
            adapter.setWebBindingInitializer(configured.getWebBindingInitializer());
            adapter.setArgumentResolverConfigurer(configured.getArgumentResolverConfigurer());
            adapter.setReactiveAdapterRegistry(configured.getReactiveAdapterRegistry());
            adapter.setBlockingExecutor(executor);
            adapter.setBlockingMethodPredicate(method -> true);
            adapter.setApplicationContext(context);
            adapter.afterPropertiesSet();
            return adapter;
        } catch (Exception e) {
            throw new IllegalStateException("the handler adapter for limited methods cannot be set up", e);
        }
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method
                && known.computeIfAbsent(
                        new MethodClassKey(method.getMethod(), method.getBeanType()),
                        each -> isLimitedAndBlocking(method));
    }

    private boolean isLimitedAndBlocking(HandlerMethod handler) {
        Method method = handler.getMethod();
        return annotations.isPresentIn(handler.getBeanType())
                && (!RateLimitAnnotations.of(method).isEmpty()
                        || !RateLimitAnnotations.ofType(handler.getBeanType(), method)
                                .isEmpty())
                && ReturnType.of(method).kind() == ReturnType.Kind.VALUE;
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        return blocking.obtain()
                .handle(exchange, handler)
                .doOnNext(result -> ReactiveCallHeaders.showGathered(exchange)); // on the thread of the method
    }
}
