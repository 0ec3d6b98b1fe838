@NullMarked
package dev.sluice.server.ruleset;

import org.jspecify.annotations.NullMarked;
