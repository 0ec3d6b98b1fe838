@NullMarked
package dev.sluice.rules.match;

import org.jspecify.annotations.NullMarked;
