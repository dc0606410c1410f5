/** Servers that keep shares of the parameters for workers that do not wait for each other. */
@NullMarked
package io.deepvm.trainer.server;

import org.jspecify.annotations.NullMarked;
