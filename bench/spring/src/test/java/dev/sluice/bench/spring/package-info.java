@NullMarked
package dev.sluice.bench.spring;

import org.jspecify.annotations.NullMarked;
