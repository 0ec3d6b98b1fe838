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
 * <p>A call over the limit does not run: {@link RateLimitedException} is thrown, or the fallback called. Several on one
 * method, those of its class among them, are all or nothing. On a class it is one limit for all public methods together.
 *
 * <p>Methods that return a {@code CompletableFuture}, {@code Mono} or {@code Flux} are never blocked: there the answer
 * fails, or is the fallback's; a {@code Mono} or {@code Flux} is charged each time it is subscribed to. A permit of a
 * concurrency limit is held until the answer is complete.
 *
 * <p>In texts, {@code ${…}} stands for properties. What is wrong with them fails when the bean is made.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimits.class)
public @interface RateLimit {
    /** The limits as a rule file writes them, such as {@code 5 per 1m sliding-log} or {@code 20 at once}. */
    String[] value() default {};

    /** In place of limits: the name of a rule, whose limits, key and so on count. Its conditions are not looked at. */
    String rule() default "";

    /**
     * Whom to count for, in the Spring Expression Language: parameters ({@code #user.id}), {@code #principal},
     * {@code #request}, beans ({@code @tenants.of(#order)}); a list for several together. Without: one counter for all;
     * with {@link #rule}, what the rule makes its key of, from the current web request. All whose key is null share a
     * counter.
     */
    String key() default "";

    /** How many permits a call takes, in the Spring Expression Language. */
    String permits() default "1";

    /** How long a call may wait for its turn, such as {@code 200ms}. One that cannot succeed in time does not wait. */
    String waitUpTo() default "";

    /**
     * The method of the same class to call in place of one over the limit: with the same parameters, or with these and
     * a {@link RateLimitedException} more.
     */
    String fallback() default "";

    /** The class of the call: it may use only the share that the rule, or {@code sluice.priorities}, gives it. */
    String priority() default "";

    /** What to say while the store does not answer. */
    OnFailure onStoreFailure() default OnFailure.LOCAL;

    /** What its counters, meters and headers go by. Default: {@code Class.method}. */
    String name() default "";
}
