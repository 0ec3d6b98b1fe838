/** Reading what people write, and telling them what is wrong with it. */
@NullMarked
package dev.sluice.text;

import org.jspecify.annotations.NullMarked;
