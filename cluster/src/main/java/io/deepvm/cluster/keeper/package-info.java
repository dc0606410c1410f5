/** Who is there and which generation counts, kept in ZooKeeper. */
@NullMarked
package io.deepvm.cluster.keeper;

import org.jspecify.annotations.NullMarked;
