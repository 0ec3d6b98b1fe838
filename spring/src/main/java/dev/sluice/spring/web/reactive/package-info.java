/** The filter that checks WebFlux exchanges, and what answers those that are denied. */
@NullMarked
package dev.sluice.spring.web.reactive;

import org.jspecify.annotations.NullMarked;
