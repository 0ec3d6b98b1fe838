/** The only place that knows the health contributors of Spring Boot 3. */
@NullMarked
package dev.sluice.spring.actuate.boot3;

import org.jspecify.annotations.NullMarked;
