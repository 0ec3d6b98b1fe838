@NullMarked
package dev.sluice.simulate.log;

import org.jspecify.annotations.NullMarked;
