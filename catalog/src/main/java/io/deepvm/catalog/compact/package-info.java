/** The project's own catalog format: one CSV row a machine and place. */
@NullMarked
package io.deepvm.catalog.compact;

import org.jspecify.annotations.NullMarked;
