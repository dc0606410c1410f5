/** The terminal: text, colours, progress, exit codes and files written whole. */
@NullMarked
package io.deepvm.cli.console;

import org.jspecify.annotations.NullMarked;
