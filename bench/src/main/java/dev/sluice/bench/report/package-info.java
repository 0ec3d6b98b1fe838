/** What all benchmarks share: options, steps and their progress, figures, tables, targets and the page of a report. */
@NullMarked
package dev.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
