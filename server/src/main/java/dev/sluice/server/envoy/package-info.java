/**
 * Envoy's rate limit service: gRPC and JSON, on the rule file or on files in the format of envoyproxy/ratelimit.
 *
 * <p>One way through: file, tree, match, counter, answer.
 */
@NullMarked
package dev.sluice.server.envoy;

import org.jspecify.annotations.NullMarked;
