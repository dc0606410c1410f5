/** Measured training speeds: the built-in table, a reader for own measurements, cleaning rules. */
@NullMarked
package io.deepvm.catalog.speed;

import org.jspecify.annotations.NullMarked;
