/**
 * The laws of SEMANTICS.md as tests over random traces, for whatever makes a limiter: extend {@code LimiterContract}.
 */
@NullMarked
package dev.sluice.contract;

import org.jspecify.annotations.NullMarked;
