/** Generating access logs that look real, with the truth about each client in them. */
@NullMarked
package dev.sluice.simulate.generate;

import org.jspecify.annotations.NullMarked;
