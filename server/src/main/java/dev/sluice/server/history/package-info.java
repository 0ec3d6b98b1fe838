/** What was decided in the last minutes, hours and days, on this server and on those that share its Redis. */
@NullMarked
package dev.sluice.server.history;

import org.jspecify.annotations.NullMarked;
