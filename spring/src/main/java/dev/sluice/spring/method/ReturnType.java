package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * What a limited method returns, and so when a call of it is done.
 *
 * @param adapter turns a reactive type into a {@code Publisher} and back; null for a suspending function, whose proxy does
 *     that, and for what is not reactive
 * @param handler whether the method handles web requests, so that a call may be done only when the response is
 */
record ReturnType(Kind kind, @Nullable ReactiveAdapter adapter, boolean handler) {
    /** How a call ends. */
    enum Kind {
        /** When the method returns; for a handler method, possibly when the response is complete. */
        VALUE,
        /** When the {@code CompletionStage} completes. */
        FUTURE,
        /** When the {@code Mono} or suspending function, or what can be turned into one, ends. */
        ONE,
        /** When the {@code Flux} or {@code Flow}, or what can be turned into one, ends. */
        MANY
    }

    static final ReturnType PLAIN = new ReturnType(Kind.VALUE, null, false);
    static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

    private static final boolean COROUTINES = isPresent("kotlinx.coroutines.reactor.MonoKt");
    private static final boolean KOTLIN_REFLECT = isPresent("kotlin.reflect.full.KClasses");
    private static final String HANDLER = "org.springframework.web.bind.annotation.RequestMapping";
    private static final String FLOW = "kotlinx.coroutines.flow.Flow";
    private static final String DEFERRED_RESULT = "kotlinx.coroutines.Deferred";
    private static final @Nullable Class<?> ENTITY = find("org.springframework.http.HttpEntity");

    /** The types that Spring MVC goes on working on after the method has returned. */
    private static final Class<?>[] DEFERRED = Stream.of(
                    Callable.class.getName(),
                    "org.springframework.web.context.request.async.WebAsyncTask",
                    "org.springframework.web.context.request.async.DeferredResult",
                    "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
                    "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter")
            .flatMap(name -> Stream.ofNullable(find(name)))
            .toArray(Class<?>[]::new);

    private static @Nullable Class<?> find(String name) {
        return isPresent(name) ? ClassUtils.resolveClassName(name, ReturnType.class.getClassLoader()) : null;
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, ReturnType.class.getClassLoader());
    }

    /**
     * The return type of a method.
     *
     * @throws IllegalArgumentException if calls that return it cannot be limited; the message says why
     */
    static ReturnType of(Method method) {
        Class<?> type = method.getReturnType();
        boolean handler = isHandler(method);
        if (SuspendingFunction.is(method)) {
            require(
                    SuspendingFunction.returns(method) != null,
                    "it returns Nothing, and Spring cannot call such a function through a proxy: declare Unit");
            return ofSuspending(SuspendingFunction.returnedClass(method), handler);
        }
        if (CompletionStage.class.isAssignableFrom(type)) {
            require(
                    type.isAssignableFrom(CompletableFuture.class),
                    "it returns a " + type.getSimpleName() + ", which cannot be wrapped: declare a CompletableFuture");
            return new ReturnType(Kind.FUTURE, null, handler);
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null) {
            return new ReturnType(Kind.VALUE, null, handler);
        }
        require(REACTOR, "to limit a method that returns a " + type.getSimpleName() + ", add reactor-core");
        require(
                type.isAssignableFrom(adapter.getReactiveType()),
                "it returns a " + type.getSimpleName() + ", which cannot be wrapped: declare a "
                        + adapter.getReactiveType().getSimpleName());
        return new ReturnType(adapter.isMultiValue() ? Kind.MANY : Kind.ONE, adapter, handler);
    }

    private static ReturnType ofSuspending(Class<?> type, boolean handler) {
        require(REACTOR && COROUTINES, "to limit a suspending function, add kotlinx-coroutines-reactor");
        require(KOTLIN_REFLECT, "to limit a suspending function, add kotlin-reflect");
        if (type.getName().equals(FLOW)) {
            return new ReturnType(Kind.MANY, null, handler);
        }
        require(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) == null,
                "it suspends, and then returns a " + type.getSimpleName()
                        + " that goes on: await it, or declare a function that does not suspend");
        return new ReturnType(Kind.ONE, null, handler);
    }

    private static void require(boolean condition, String reason) {
        if (!condition) {
            throw new IllegalArgumentException(reason);
        }
    }

    static boolean isHandler(Method method) {
        return MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                .isPresent(HANDLER);
    }

    /** Why permits cannot be held until a call of the method is done, and what to do; null if they can. */
    @Nullable
    String whyNotHeld(Method method, Class<?> owner) {
        Class<?> type = SuspendingFunction.returnedClass(method);
        String future = "let it return a CompletableFuture, or limit a method that it calls";
        if (kind == Kind.VALUE && isAsync(method, owner)) {
            return "an @Async method that returns " + type.getSimpleName() + " does not say when it is done: " + future;
        }
        if (kind == Kind.VALUE && Future.class.isAssignableFrom(type)) {
            return "a " + type.getSimpleName() + " does not say when it is done: " + future;
        }
        if (type.getName().equals(DEFERRED_RESULT)) {
            return "a Deferred goes on when the one that the caller has is cancelled: make it a suspending function";
        }
        boolean awaited = kind == Kind.VALUE ? handler : !SuspendingFunction.is(method);
        if (!awaited && isDeferred(type)) {
            return "a " + type.getSimpleName() + " runs after the method has returned: limit the handler method that "
                    + "returns it to Spring MVC, or the method that it calls";
        }
        return bodyIsStream(SuspendingFunction.returns(method))
                ? "the body is written after the method has returned: return the body itself, or limit the method that "
                        + "makes it"
                : null;
    }

    private static boolean isAsync(Method method, Class<?> owner) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(owner, Async.class);
    }

    /** Whether it is an {@code HttpEntity}, or a publisher of one, whose body is reactive. */
    private static boolean bodyIsStream(@Nullable ResolvableType type) {
        if (type == null || ENTITY == null) {
            return false;
        }
        Class<?> declared = type.resolve(Object.class);
        Class<?> argument = type.getGeneric(0).resolve(Object.class);
        return ENTITY.isAssignableFrom(declared)
                ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(argument) != null
                : ENTITY.isAssignableFrom(argument) && bodyIsStream(type.getGeneric(0));
    }

    /**
     * The type of the one value that a call of the method gives in the end; {@code Object} if it cannot be known.
     *
     * @throws IllegalArgumentException if there is no such value
     */
    Class<?> result(Method method) {
        Class<?> type = method.getReturnType();
        require(
                kind != Kind.MANY
                        && (kind != Kind.VALUE || (!isDeferred(type) && !Future.class.isAssignableFrom(type))),
                "a " + type.getSimpleName() + " has no one result");
        return kind == Kind.VALUE ? type : Object.class;
    }

    /** Whether Spring MVC goes on working on such a value after the method has returned. */
    static boolean isDeferred(Class<?> type) {
        for (Class<?> each : DEFERRED) {
            if (each.isAssignableFrom(type)) {
                return true;
            }
        }
        return false;
    }
}
