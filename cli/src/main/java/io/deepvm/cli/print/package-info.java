/** What the commands print: tables for people, JSON and CSV for programs. */
@NullMarked
package io.deepvm.cli.print;

import org.jspecify.annotations.NullMarked;
