@NullMarked
package io.deepvm.checkpoint.memory;

import org.jspecify.annotations.NullMarked;
