/** Asks the service whether a request may go ahead, and retries calls as their servers ask. On the JDK alone. */
@NullMarked
package dev.sluice.client;

import org.jspecify.annotations.NullMarked;
