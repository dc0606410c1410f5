@NullMarked
package io.deepvm.bench;

import org.jspecify.annotations.NullMarked;
