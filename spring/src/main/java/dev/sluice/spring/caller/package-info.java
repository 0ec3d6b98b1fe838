/** The web request and the user on whose behalf a method is called, for servlets and for WebFlux alike. */
@NullMarked
package dev.sluice.spring.caller;

import org.jspecify.annotations.NullMarked;
