/** Models, and how a gradient is had from them. */
@NullMarked
package io.deepvm.trainer.model;

import org.jspecify.annotations.NullMarked;
