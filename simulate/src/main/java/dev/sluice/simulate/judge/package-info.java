/** Judging suggested limits on generated logs, of which it is known who is what. */
@NullMarked
package dev.sluice.simulate.judge;

import org.jspecify.annotations.NullMarked;
