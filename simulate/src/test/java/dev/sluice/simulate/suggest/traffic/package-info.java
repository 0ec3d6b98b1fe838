@NullMarked
package dev.sluice.simulate.suggest.traffic;

import org.jspecify.annotations.NullMarked;
