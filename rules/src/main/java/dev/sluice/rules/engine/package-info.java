/** Deciding requests by rules: {@link dev.sluice.rules.engine.RuleEngine}, and what it does with a request. */
@NullMarked
package dev.sluice.rules.engine;

import org.jspecify.annotations.NullMarked;
