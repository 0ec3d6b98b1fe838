/** A small flash-sale shop that holds when everybody comes at once. */
@NullMarked
package dev.sluice.examples.shop;

import org.jspecify.annotations.NullMarked;
