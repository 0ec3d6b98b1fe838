@NullMarked
package dev.sluice.server.http;

import org.jspecify.annotations.NullMarked;
