@NullMarked
package dev.sluice.spring.test;

import org.jspecify.annotations.NullMarked;
