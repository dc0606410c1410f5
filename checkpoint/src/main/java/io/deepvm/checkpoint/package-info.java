@NullMarked
package io.deepvm.checkpoint;

import org.jspecify.annotations.NullMarked;
