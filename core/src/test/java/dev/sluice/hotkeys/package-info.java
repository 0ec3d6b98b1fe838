@NullMarked
package dev.sluice.hotkeys;

import org.jspecify.annotations.NullMarked;
