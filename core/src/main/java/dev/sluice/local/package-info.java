/** The store in this process: its limiters, the table of keys and the wait queues. */
@NullMarked
package dev.sluice.local;

import org.jspecify.annotations.NullMarked;
