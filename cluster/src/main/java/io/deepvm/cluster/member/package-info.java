/**
 * The messages between an agent and a training process that re-forms in place, as JSON lines.
 * Orders come on standard input, reports go to standard output. When the input ends, the agent has
 * ended, and the process ends too.
 */
@NullMarked
package io.deepvm.cluster.member;

import org.jspecify.annotations.NullMarked;
