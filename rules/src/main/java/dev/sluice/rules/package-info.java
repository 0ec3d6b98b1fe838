/** What is said to an engine and heard from it: rules, requests and verdicts; and how a verdict looks in HTTP. */
@NullMarked
package dev.sluice.rules;

import org.jspecify.annotations.NullMarked;
