/** The command line, and the page behind {@code sluice serve}. */
@NullMarked
package dev.sluice.server;

import org.jspecify.annotations.NullMarked;
