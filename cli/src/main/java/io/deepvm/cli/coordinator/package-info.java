/** Runs whose coordinator works on a host, as seen from the machine that started them. */
@NullMarked
package io.deepvm.cli.coordinator;

import org.jspecify.annotations.NullMarked;
