/** The commands below places: hosts to rent from. */
@NullMarked
package io.deepvm.cli.places;

import org.jspecify.annotations.NullMarked;
