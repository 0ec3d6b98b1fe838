/** Limits for the HTTP calls that the application makes. */
@NullMarked
package dev.sluice.spring.client;

import org.jspecify.annotations.NullMarked;
