@NullMarked
package io.deepvm.trainer.data;

import org.jspecify.annotations.NullMarked;
