/** Rented machines on disk: orders before they are sent, what became of them, and the bill. */
@NullMarked
package io.deepvm.places.ledger;

import org.jspecify.annotations.NullMarked;
