/** The waits of this process for permits: a queue for each key, in the order in which the requests came. */
@NullMarked
package dev.sluice.redis.wait;

import org.jspecify.annotations.NullMarked;
