/** Training by periodic averaging between peers that may stand on several continents. */
@NullMarked
package io.deepvm.workload.averaging;

import org.jspecify.annotations.NullMarked;
