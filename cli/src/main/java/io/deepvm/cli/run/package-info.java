/** The commands run, status, stop, profile and demo: training on this machine and on hosts. */
@NullMarked
package io.deepvm.cli.run;

import org.jspecify.annotations.NullMarked;
