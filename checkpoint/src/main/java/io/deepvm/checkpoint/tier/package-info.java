@NullMarked
package io.deepvm.checkpoint.tier;

import org.jspecify.annotations.NullMarked;
