/** Drawing as SVG: what the pictures of simulations and of replays share. */
@NullMarked
package dev.sluice.simulate.svg;

import org.jspecify.annotations.NullMarked;
