/** Rules, requests and verdicts: deciding requests by rules. */
@NullMarked
package dev.sluice.rules;

import org.jspecify.annotations.NullMarked;
