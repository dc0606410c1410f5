@NullMarked
package io.deepvm.trainer.averaging;

import org.jspecify.annotations.NullMarked;
