@NullMarked
package dev.sluice.server.check;

import org.jspecify.annotations.NullMarked;
