/** The service, put together from its parts: a store, rules, and two ports. */
@NullMarked
package dev.sluice.server;

import org.jspecify.annotations.NullMarked;
