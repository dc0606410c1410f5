/** How near predicted speeds of clusters are to measured ones that were left out of the fit. */
@NullMarked
package io.deepvm.bench.scaling;

import org.jspecify.annotations.NullMarked;
