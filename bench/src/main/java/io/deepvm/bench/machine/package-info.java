/** What else happens on the machine that a benchmark runs on. */
@NullMarked
package io.deepvm.bench.machine;

import org.jspecify.annotations.NullMarked;
