/** What the filters for servlets and for WebFlux share: checking a request, refusals, attributes of the request. */
@NullMarked
package dev.sluice.spring.web;

import org.jspecify.annotations.NullMarked;
