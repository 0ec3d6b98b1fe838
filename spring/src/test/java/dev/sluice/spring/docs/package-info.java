@NullMarked
package dev.sluice.spring.docs;

import org.jspecify.annotations.NullMarked;
