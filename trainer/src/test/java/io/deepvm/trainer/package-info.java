@NullMarked
package io.deepvm.trainer;

import org.jspecify.annotations.NullMarked;
