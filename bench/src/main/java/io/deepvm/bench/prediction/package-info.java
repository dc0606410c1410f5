/** Local clusters with links and speeds as told, on which predictions are tried. */
@NullMarked
package io.deepvm.bench.prediction;

import org.jspecify.annotations.NullMarked;
