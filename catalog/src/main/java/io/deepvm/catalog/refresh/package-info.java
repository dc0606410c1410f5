/** Prices of now: from hosted catalogs and price lists into the user's cache. */
@NullMarked
package io.deepvm.catalog.refresh;

import org.jspecify.annotations.NullMarked;
