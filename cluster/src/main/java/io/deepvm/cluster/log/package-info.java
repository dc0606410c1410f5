/** What happened in a run, one event a line, and what follows from it. */
@NullMarked
package io.deepvm.cluster.log;

import org.jspecify.annotations.NullMarked;
