package dev.sluice.spring;

import dev.sluice.OnFailure;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how often a method of a bean runs.
 *
 * <pre>{@code
 * @RateLimit(value = "5 per 1m sliding-log", key = "#user.id")
 * public Receipt order(User user, Cart cart) { ... }
 * }</pre>
 *
 * <p>A call over the limit does not run: {@link RateLimitedException} is thrown, or the fallback is called. Several
 * annotations on a method and its class are all or nothing. On a class, the annotation is one limit for all public methods
 * together. The annotations of an interface or a superclass count where a method, or a class, has none of its own.
 *
 * <p>Methods that return a {@code CompletableFuture}, {@code Mono} or {@code Flux}, and suspending functions, never block
 * the calling thread: over the limit, the future or publisher fails or is the fallback's. A {@code Mono} or {@code Flux} is
 * charged at each subscription. Permits of a concurrency limit are held until the future or publisher completes, and those
 * of a handler method of Spring MVC that returns a {@code Callable}, {@code DeferredResult}, {@code SseEmitter} or the like
 * until the response is complete.
 *
 * <p>Calls pass the advice of Spring Security and of caches first, then the limits, then all other advice.
 *
 * <p>All texts may contain placeholders such as {@code ${shop.limit}}. A wrong annotation keeps the application from
 * starting.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimits.class)
public @interface RateLimit {
    /** The limits, as in a rule file: such as {@code 5 per 1m sliding-log} or {@code 20 at once}. */
    String[] value() default {};

    /** In place of limits: the name of a rule. Its limits, key and options apply; its conditions are ignored. */
    String rule() default "";

    /**
     * The key, in the Spring Expression Language: parameters ({@code #user.id}), {@code #principal}, {@code #request},
     * beans ({@code @tenants.of(#order)}), or a list of several. Without a key all calls share one counter; with
     * {@link #rule}, the key is the rule's, taken from the current web request. All calls with a null key share one
     * counter; so do those whose key is a part of {@code #principal} or {@code #request} when there is none.
     */
    String key() default "";

    /** How many permits a call takes, in the Spring Expression Language. */
    String permits() default "1";

    /**
     * Whether the annotation applies to a call, in the Spring Expression Language; if not, it neither charges nor denies
     * it. Default: it always does.
     */
    String condition() default "";

    /**
     * After a call that returned: whether its permits are given back, in the Spring Expression Language, with the variable
     * {@code #result} besides those of {@link #key}. Default: they never are.
     */
    String unless() default "";

    /** How long a call may wait for permits, such as {@code 200ms}. A call that cannot get them in time fails at once. */
    String waitUpTo() default "";

    /**
     * The method of the same class to call in place of one over the limit. It has the same parameters, optionally followed
     * by a {@link RateLimitedException}.
     */
    String fallback() default "";

    /** The priority class of the calls. They may use only the share that the rule, or {@code sluice.priorities}, gives it. */
    String priority() default "";

    /** How to decide while the store does not answer. */
    OnFailure onStoreFailure() default OnFailure.LOCAL;

    /**
     * The name of the limit in counters, metrics and headers. Default: {@code Class.method}, without the package. No two
     * limits have the same name: where two classes or two methods would, one must be given a name here.
     */
    String name() default "";
}
