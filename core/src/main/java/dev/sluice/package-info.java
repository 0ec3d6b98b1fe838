/** Limits, decisions, limiters and pacers. */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
