@NullMarked
package dev.sluice.simulate.generate;

import org.jspecify.annotations.NullMarked;
