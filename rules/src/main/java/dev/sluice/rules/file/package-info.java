@NullMarked
package dev.sluice.rules.file;

import org.jspecify.annotations.NullMarked;
