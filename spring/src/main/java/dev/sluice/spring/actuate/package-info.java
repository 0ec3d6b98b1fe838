/** The Actuator endpoint, health and metrics. */
@NullMarked
package dev.sluice.spring.actuate;

import org.jspecify.annotations.NullMarked;
