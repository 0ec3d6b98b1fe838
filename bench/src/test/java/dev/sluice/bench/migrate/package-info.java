/** The migration guides of docs/migrate: Sluice and a peer, driven with the same trace. */
@NullMarked
package dev.sluice.bench.migrate;

import org.jspecify.annotations.NullMarked;
