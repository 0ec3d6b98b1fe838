@NullMarked
package dev.sluice.assertj;

import org.jspecify.annotations.NullMarked;
