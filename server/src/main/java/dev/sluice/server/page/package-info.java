/** The admin port: rules and their versions, explain, keys, metrics, offenders, events, and the audit log. */
@NullMarked
package dev.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
