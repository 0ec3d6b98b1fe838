/** What good clients notice while hostile ones do their worst to the same server. */
@NullMarked
package dev.sluice.bench.soak;

import org.jspecify.annotations.NullMarked;
