/** Where nodes come from: clouds, orders, and the news that clouds report. */
@NullMarked
package io.deepvm.places;

import org.jspecify.annotations.NullMarked;
