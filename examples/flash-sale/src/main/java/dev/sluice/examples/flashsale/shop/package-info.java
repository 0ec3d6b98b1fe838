/** The shop: what runs twice behind nginx. */
@NullMarked
package dev.sluice.examples.flashsale.shop;

import org.jspecify.annotations.NullMarked;
