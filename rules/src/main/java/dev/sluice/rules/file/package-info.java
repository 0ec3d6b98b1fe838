/** Reading and checking rule files: the only package that knows YAML. */
@NullMarked
package dev.sluice.rules.file;

import org.jspecify.annotations.NullMarked;
