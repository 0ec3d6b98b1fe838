@NullMarked
package dev.sluice.spring.caller;

import org.jspecify.annotations.NullMarked;
