/** What every strategy needs of the other members: orders, connections, state, checkpoints. */
@NullMarked
package io.deepvm.trainer.member;

import org.jspecify.annotations.NullMarked;
