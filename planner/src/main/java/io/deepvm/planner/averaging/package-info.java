/** Searches for peers, places and a target batch size to train by averaging. */
@NullMarked
package io.deepvm.planner.averaging;

import org.jspecify.annotations.NullMarked;
