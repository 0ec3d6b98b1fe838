/**
 * The data port over HTTP: {@code /v1/check}, {@code /nginx}, {@code /v1/holds} and health. A request passes
 *
 * <pre>
 *   DataPort ─► QueryReader, CheckReader or NginxReader ─► CheckService ─► the rules ─► VerdictWriter
 * </pre>
 */
@NullMarked
package dev.sluice.server.check;

import org.jspecify.annotations.NullMarked;
