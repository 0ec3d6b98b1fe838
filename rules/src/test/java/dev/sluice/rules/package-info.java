@NullMarked
package dev.sluice.rules;

import org.jspecify.annotations.NullMarked;
