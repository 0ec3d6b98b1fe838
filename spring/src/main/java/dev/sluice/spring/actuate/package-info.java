/** What operators see: an endpoint, health and meters. */
@NullMarked
package dev.sluice.spring.actuate;

import org.jspecify.annotations.NullMarked;
