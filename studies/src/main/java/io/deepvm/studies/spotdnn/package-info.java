/** spotDNN's tables and figures beside ours. */
@NullMarked
package io.deepvm.studies.spotdnn;

import org.jspecify.annotations.NullMarked;
