/** Samples by their number: generated ones, and folders of the user's own. */
@NullMarked
package io.deepvm.trainer.data;

import org.jspecify.annotations.NullMarked;
