/** The only place that knows the health contributors of Spring Boot 4. */
@NullMarked
package dev.sluice.spring.actuate.boot4;

import org.jspecify.annotations.NullMarked;
