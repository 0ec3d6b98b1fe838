@NullMarked
package dev.sluice.examples.shop;

import org.jspecify.annotations.NullMarked;
