/** Sluice as the rate limiter of Spring Cloud Gateway. */
@NullMarked
package dev.sluice.spring.gateway;

import org.jspecify.annotations.NullMarked;
