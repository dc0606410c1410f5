/** An EC2 in memory, with tokens, capacity, quotas, prices, faults and a meter. */
@NullMarked
package io.deepvm.places.aws.fake;

import org.jspecify.annotations.NullMarked;
