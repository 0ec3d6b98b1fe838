@NullMarked
package dev.sluice.server.trial;

import org.jspecify.annotations.NullMarked;
