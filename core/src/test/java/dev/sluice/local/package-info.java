@NullMarked
package dev.sluice.local;

import org.jspecify.annotations.NullMarked;
