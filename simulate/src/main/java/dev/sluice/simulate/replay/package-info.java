/** Replaying logs: what rules would have done to the requests in them. */
@NullMarked
package dev.sluice.simulate.replay;

import org.jspecify.annotations.NullMarked;
