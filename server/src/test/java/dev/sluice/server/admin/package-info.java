@NullMarked
package dev.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
