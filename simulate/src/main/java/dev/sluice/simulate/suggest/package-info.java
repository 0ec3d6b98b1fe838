/** Suggesting limits from the traffic of a log. */
@NullMarked
package dev.sluice.simulate.suggest;

import org.jspecify.annotations.NullMarked;
