package dev.sluice.spring.web;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/** Who Spring Security says is calling. Apart, since not every application has it. */
final class SecurityCaller {
    private SecurityCaller() {}

    static @Nullable Principal principal() {
        return known(SecurityContextHolder.getContext());
    }

    /** One who is anonymous is nobody. */
    static @Nullable Principal known(SecurityContext context) {
        Authentication authentication = context.getAuthentication();
        return authentication instanceof AnonymousAuthenticationToken ? null : authentication;
    }
}
