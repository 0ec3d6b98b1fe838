/** Envoy's rate limit service, asked by a gRPC client on Envoy's own messages. */
@NullMarked
package dev.sluice.server.envoy;

import org.jspecify.annotations.NullMarked;
