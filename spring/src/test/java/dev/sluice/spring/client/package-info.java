@NullMarked
package dev.sluice.spring.client;

import org.jspecify.annotations.NullMarked;
