/** How the log looks. Logging itself goes through {@link System.Logger} and SLF4J, and Logback writes the lines. */
@NullMarked
package dev.sluice.server.log;

import org.jspecify.annotations.NullMarked;
