/** The filter that checks servlet requests, and what answers those that are denied. */
@NullMarked
package dev.sluice.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
