/** The rules in force: their versions, the rule file, and sharing them with other servers through Redis. */
@NullMarked
package dev.sluice.server.ruleset;

import org.jspecify.annotations.NullMarked;
