@NullMarked
package dev.sluice.spring.gateway;

import org.jspecify.annotations.NullMarked;
