/** The server under load, beside nginx, HAProxy and a trivial reply, in one run. */
@NullMarked
package dev.sluice.bench.server;

import org.jspecify.annotations.NullMarked;
