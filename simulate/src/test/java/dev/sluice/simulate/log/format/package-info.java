@NullMarked
package dev.sluice.simulate.log.format;

import org.jspecify.annotations.NullMarked;
