@NullMarked
package io.deepvm.planner;

import org.jspecify.annotations.NullMarked;
