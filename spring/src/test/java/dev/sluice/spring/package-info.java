@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
