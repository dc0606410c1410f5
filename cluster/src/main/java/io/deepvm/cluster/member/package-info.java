/**
 * What an agent and a training process that re-forms in place say to each other: JSON lines, orders
 * on the process's standard input, reports on its standard output. The end of the input is the end
 * of the agent, and the process ends too.
 */
@NullMarked
package io.deepvm.cluster.member;

import org.jspecify.annotations.NullMarked;
