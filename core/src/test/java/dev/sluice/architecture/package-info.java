/** Holds every module to the drawing of the packages in docs/architecture.md. */
@NullMarked
package dev.sluice.architecture;

import org.jspecify.annotations.NullMarked;
