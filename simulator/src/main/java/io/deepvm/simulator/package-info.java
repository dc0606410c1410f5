@NullMarked
package io.deepvm.simulator;

import org.jspecify.annotations.NullMarked;
