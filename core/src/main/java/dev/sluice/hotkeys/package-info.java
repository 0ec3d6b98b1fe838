/** Finds the keys that come most often within a sliding window, in bounded memory. */
@NullMarked
package dev.sluice.hotkeys;

import org.jspecify.annotations.NullMarked;
