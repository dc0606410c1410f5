@NullMarked
package io.deepvm.trainer.vector;

import org.jspecify.annotations.NullMarked;
