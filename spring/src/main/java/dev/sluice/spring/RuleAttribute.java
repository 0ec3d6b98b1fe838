package dev.sluice.spring;

import java.security.Principal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An attribute of web requests that the application adds, such as a tenant, a plan or a role. Each bean of this type is one
 * attribute, which rules can use in their conditions, keys and overrides. It is read only if a rule uses it.
 *
 * @param <R> the request: {@code HttpServletRequest}, or {@code ServerWebExchange} on WebFlux; {@code Object} for an
 *     attribute that does not depend on it
 */
public interface RuleAttribute<R> {
    /** The name of the attribute. */
    String name();

    /**
     * The value for a request; null if it has none. It is called on the thread of the request, which on WebFlux must not
     * block.
     *
     * @param user the principal; null if there is none, or if {@link #needsUser} is false
     */
    @Nullable
    String value(R request, @Nullable Principal user);

    /** Whether it depends on the user. Then rules that use it are checked after Spring Security. */
    default boolean needsUser() {
        return false;
    }

    /** An attribute that is read from the request. */
    static <R> RuleAttribute<R> of(String name, Function<? super R, @Nullable String> value) {
        return new RuleAttribute<>() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public @Nullable String value(R request, @Nullable Principal user) {
                return value.apply(request);
            }
        };
    }

    /** An attribute that is read from the user. A request without one does not have it. */
    static RuleAttribute<Object> ofUser(String name, Function<? super Principal, @Nullable String> value) {
        return new RuleAttribute<>() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public @Nullable String value(Object request, @Nullable Principal user) {
                return user == null ? null : value.apply(user);
            }

            @Override
            public boolean needsUser() {
                return true;
            }
        };
    }
}
