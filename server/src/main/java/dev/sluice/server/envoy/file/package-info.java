/** The files of envoyproxy/ratelimit: reading and checking them, and the limit that one of their descriptors has. */
@NullMarked
package dev.sluice.server.envoy.file;

import org.jspecify.annotations.NullMarked;
