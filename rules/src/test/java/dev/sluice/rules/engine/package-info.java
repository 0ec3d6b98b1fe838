@NullMarked
package dev.sluice.rules.engine;

import org.jspecify.annotations.NullMarked;
