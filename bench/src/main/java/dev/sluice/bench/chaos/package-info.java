/** What happens to callers while Redis is killed, frozen, flushed, replaced, demoted, late, full or not there yet. */
@NullMarked
package dev.sluice.bench.chaos;

import org.jspecify.annotations.NullMarked;
