/** The command line. */
@NullMarked
package dev.sluice.server.cli;

import org.jspecify.annotations.NullMarked;
