@NullMarked
package io.deepvm.market;

import org.jspecify.annotations.NullMarked;
