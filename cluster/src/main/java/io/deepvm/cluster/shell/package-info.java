/**
 * The coordinator around the run's machine: it queues inputs, logs what follows, and sends agents
 * and clouds what the state asks of them. Nothing here decides anything.
 */
@NullMarked
package io.deepvm.cluster.shell;

import org.jspecify.annotations.NullMarked;
