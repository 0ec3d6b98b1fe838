/** Recording the requests that the server decides, in memory, for replays. */
@NullMarked
package dev.sluice.server.record;

import org.jspecify.annotations.NullMarked;
