/** The formats of logs: what the lines of a file look like, and the requests that they are. */
@NullMarked
package dev.sluice.simulate.log.format;

import org.jspecify.annotations.NullMarked;
