/** The admin port: its callers, the handlers of its paths, events and the audit log. */
@NullMarked
package dev.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
