/** Runs on this machine that stand for runs on others. */
@NullMarked
package io.deepvm.cluster.emulation;

import org.jspecify.annotations.NullMarked;
