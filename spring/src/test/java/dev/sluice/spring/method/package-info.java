@NullMarked
package dev.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
