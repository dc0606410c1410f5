@NullMarked
package io.deepvm.checkpoint.format;

import org.jspecify.annotations.NullMarked;
