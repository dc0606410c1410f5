/** Pages in the browser: runs that are watched, plans that are explored. */
@NullMarked
package io.deepvm.cli.watch;

import org.jspecify.annotations.NullMarked;
