/** Rate limiting for Spring Boot: the annotation, the rules of an application, and its properties. */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
