/** What a store does to the heap, seen in a JVM of its own. */
@org.jspecify.annotations.NullMarked
package dev.sluice.memory;
