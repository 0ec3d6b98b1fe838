@NullMarked
package dev.sluice.server.web;

import org.jspecify.annotations.NullMarked;
