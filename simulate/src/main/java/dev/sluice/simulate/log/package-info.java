/** The requests of access logs, how logs are to be read, and what was found wrong with them. */
@NullMarked
package dev.sluice.simulate.log;

import org.jspecify.annotations.NullMarked;
