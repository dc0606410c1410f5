@NullMarked
package io.deepvm.units;

import org.jspecify.annotations.NullMarked;
