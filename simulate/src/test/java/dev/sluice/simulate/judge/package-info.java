@NullMarked
package dev.sluice.simulate.judge;

import org.jspecify.annotations.NullMarked;
