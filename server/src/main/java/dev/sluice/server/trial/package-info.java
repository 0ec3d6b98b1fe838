/** Trying rules on recorded requests before they are put in force. */
@NullMarked
package dev.sluice.server.trial;

import org.jspecify.annotations.NullMarked;
