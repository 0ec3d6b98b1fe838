/**
 * The data port over HTTP: {@code /v1/check}, {@code /nginx}, leases and health. A request is read by
 * {@link dev.sluice.server.http.Query}, {@link dev.sluice.server.http.CheckReader} or
 * {@link dev.sluice.server.http.NginxReader}, decided by the rules, and told by {@link dev.sluice.server.http.Answer}.
 */
@NullMarked
package dev.sluice.server.http;

import org.jspecify.annotations.NullMarked;
