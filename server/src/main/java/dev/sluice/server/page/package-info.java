/** The playground: a page that shows what a limit does to traffic. */
@NullMarked
package dev.sluice.server.page;

import org.jspecify.annotations.NullMarked;
