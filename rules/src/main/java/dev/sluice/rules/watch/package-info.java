/** Noticing that files have changed. */
@NullMarked
package dev.sluice.rules.watch;

import org.jspecify.annotations.NullMarked;
