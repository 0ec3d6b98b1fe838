/** The Lua scripts of the algorithms: their text, their keys, their arguments and their replies. */
@NullMarked
package dev.sluice.redis.script;

import org.jspecify.annotations.NullMarked;
