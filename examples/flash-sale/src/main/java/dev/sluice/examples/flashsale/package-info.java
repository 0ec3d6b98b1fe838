/** One command that starts a flash sale with every layer, and a crowd; see README.md. */
@NullMarked
package dev.sluice.examples.flashsale;

import org.jspecify.annotations.NullMarked;
