/** The filters that check web requests, for servlets and for WebFlux. */
@NullMarked
package dev.sluice.spring.web;

import org.jspecify.annotations.NullMarked;
