@NullMarked
package io.deepvm.base;

import org.jspecify.annotations.NullMarked;
