@NullMarked
package dev.sluice.spring.web.reactive;

import org.jspecify.annotations.NullMarked;
