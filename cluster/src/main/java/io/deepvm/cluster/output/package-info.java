/** What training commands print, on its way from an agent to the person who watches the run. */
@NullMarked
package io.deepvm.cluster.output;

import org.jspecify.annotations.NullMarked;
