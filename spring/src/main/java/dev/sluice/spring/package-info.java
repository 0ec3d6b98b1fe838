/** Rate limiting for Spring Boot applications: an annotation, filters, and what operators see. */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
