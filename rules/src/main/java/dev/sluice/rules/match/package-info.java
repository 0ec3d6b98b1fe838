/** Conditions on attributes, and the index that finds the conditions a request meets. */
@NullMarked
package dev.sluice.rules.match;

import org.jspecify.annotations.NullMarked;
