/** The worked examples of SEMANTICS.md, as traces on a fake clock. */
@NullMarked
package dev.sluice.examples;

import org.jspecify.annotations.NullMarked;
