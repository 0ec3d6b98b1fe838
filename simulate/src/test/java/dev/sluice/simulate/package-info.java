@NullMarked
package dev.sluice.simulate;

import org.jspecify.annotations.NullMarked;
