/** Sends requests for decisions to Redis: those that come while a script is under way go together in the next one. */
@NullMarked
package dev.sluice.redis.combine;

import org.jspecify.annotations.NullMarked;
