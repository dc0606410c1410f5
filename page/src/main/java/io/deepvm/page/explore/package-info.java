/** The planner as a page. */
@NullMarked
package io.deepvm.page.explore;

import org.jspecify.annotations.NullMarked;
