@NullMarked
package dev.sluice.server.log;

import org.jspecify.annotations.NullMarked;
