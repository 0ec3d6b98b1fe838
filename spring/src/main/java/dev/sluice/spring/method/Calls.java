package dev.sluice.spring.method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Calls that run later than they are made, and perhaps more than once. */
final class Calls {
    private Calls() {}

    /** The same call, to be run when the present one has returned. */
    static MethodInvocation kept(MethodInvocation call) {
        return call instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : call;
    }

    /** Runs a kept call, which stays as it is. */
    static @Nullable Object proceed(MethodInvocation kept) throws Throwable {
        return kept(kept).proceed();
    }
}
