/**
 * The decisions of a run as pure functions: what happened so far, what is new and what time it is
 * give the events that follow. Nothing here does I/O, starts a thread, reads a clock or draws a
 * random number.
 */
@NullMarked
package io.deepvm.cluster.core;

import org.jspecify.annotations.NullMarked;
