/** A small flash-sale shop that stays up when everybody comes at once. */
@NullMarked
package dev.sluice.examples.shop;

import org.jspecify.annotations.NullMarked;
