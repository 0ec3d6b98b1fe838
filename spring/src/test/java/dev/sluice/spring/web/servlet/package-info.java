@NullMarked
package dev.sluice.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
