/** Curves from measurements by least squares, with their errors and their range. */
@NullMarked
package io.deepvm.workload.fit;

import org.jspecify.annotations.NullMarked;
