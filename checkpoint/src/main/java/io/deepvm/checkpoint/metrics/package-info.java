@NullMarked
package io.deepvm.checkpoint.metrics;

import org.jspecify.annotations.NullMarked;
