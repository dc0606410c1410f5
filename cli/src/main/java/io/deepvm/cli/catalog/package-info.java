/** The commands below catalog: offers and their prices. */
@NullMarked
package io.deepvm.cli.catalog;

import org.jspecify.annotations.NullMarked;
