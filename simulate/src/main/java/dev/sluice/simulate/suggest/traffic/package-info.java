/** The traffic of a log by client: who made requests, when, on which endpoints, in a few bytes for each request. */
@NullMarked
package dev.sluice.simulate.suggest.traffic;

import org.jspecify.annotations.NullMarked;
