/** The built-in trainer: PyTorch on the JVM, elastic in place through changing memberships. */
@NullMarked
package io.deepvm.trainer;

import org.jspecify.annotations.NullMarked;
