/** The deepvm command: one class per sub-command, and what they share. */
@NullMarked
package io.deepvm.cli;

import org.jspecify.annotations.NullMarked;
