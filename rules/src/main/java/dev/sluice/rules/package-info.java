/** Requests, rules, the rule file, and verdicts. */
@NullMarked
package dev.sluice.rules;

import org.jspecify.annotations.NullMarked;
