/** Reading the files of logs in blocks, on several threads, and their requests in the order of their times. */
@NullMarked
package dev.sluice.simulate.log.file;

import org.jspecify.annotations.NullMarked;
