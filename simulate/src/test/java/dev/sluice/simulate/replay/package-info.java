@NullMarked
package dev.sluice.simulate.replay;

import org.jspecify.annotations.NullMarked;
