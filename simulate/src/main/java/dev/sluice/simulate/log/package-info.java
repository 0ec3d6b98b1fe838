/** Reading access logs: formats, files, and the requests in them, in the order of their times. */
@NullMarked
package dev.sluice.simulate.log;

import org.jspecify.annotations.NullMarked;
