@NullMarked
package dev.sluice.simulate.svg;

import org.jspecify.annotations.NullMarked;
