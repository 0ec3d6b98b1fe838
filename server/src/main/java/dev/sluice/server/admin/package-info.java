/** The admin port: its callers, the handlers of its paths, metrics, offenders, events and the audit log. */
@NullMarked
package dev.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
