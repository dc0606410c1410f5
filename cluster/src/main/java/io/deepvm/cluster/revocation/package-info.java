/** Ways to lose nodes on purpose. */
@NullMarked
package io.deepvm.cluster.revocation;

import org.jspecify.annotations.NullMarked;
