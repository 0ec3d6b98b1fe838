/** What the starter costs a request and a method, beside the starters of its peers. */
@NullMarked
package dev.sluice.bench.spring;

import org.jspecify.annotations.NullMarked;
