@NullMarked
package dev.sluice.server.page;

import org.jspecify.annotations.NullMarked;
