/** Replaying logs and suggesting limits from them, beside awk and GoAccess on the same log. */
@NullMarked
package dev.sluice.bench.replay;

import org.jspecify.annotations.NullMarked;
