@NullMarked
package dev.sluice.server.trace;

import org.jspecify.annotations.NullMarked;
