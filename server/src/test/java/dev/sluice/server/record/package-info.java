@NullMarked
package dev.sluice.server.record;

import org.jspecify.annotations.NullMarked;
