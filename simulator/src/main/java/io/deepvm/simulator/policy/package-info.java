/** Ways to rent, one file each. */
@NullMarked
package io.deepvm.simulator.policy;

import org.jspecify.annotations.NullMarked;
