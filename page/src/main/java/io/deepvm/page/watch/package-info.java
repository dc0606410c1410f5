/** The live page of runs. */
@NullMarked
package io.deepvm.page.watch;

import org.jspecify.annotations.NullMarked;
