/** The pages of the admin port, their scripts and texts, and the script for browsers. */
@NullMarked
package dev.sluice.server.page;

import org.jspecify.annotations.NullMarked;
