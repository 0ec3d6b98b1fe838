@NullMarked
package dev.sluice.simulate.suggest;

import org.jspecify.annotations.NullMarked;
