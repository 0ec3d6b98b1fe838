/** Reading the files of envoyproxy/ratelimit. */
@NullMarked
package dev.sluice.server.envoy.file;

import org.jspecify.annotations.NullMarked;
