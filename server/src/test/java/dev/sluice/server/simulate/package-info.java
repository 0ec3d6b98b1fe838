@NullMarked
package dev.sluice.server.simulate;

import org.jspecify.annotations.NullMarked;
