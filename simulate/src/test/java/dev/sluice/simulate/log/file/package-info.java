@NullMarked
package dev.sluice.simulate.log.file;

import org.jspecify.annotations.NullMarked;
