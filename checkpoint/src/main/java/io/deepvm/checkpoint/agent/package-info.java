/**
 * The door for training that does not run on the JVM: a socket for words, shared memory for bytes.
 */
@NullMarked
package io.deepvm.checkpoint.agent;

import org.jspecify.annotations.NullMarked;
