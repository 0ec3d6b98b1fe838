/** What a limit does to a traffic shape, run on a clock of its own and drawn as a picture. */
@NullMarked
package dev.sluice.simulate;

import org.jspecify.annotations.NullMarked;
