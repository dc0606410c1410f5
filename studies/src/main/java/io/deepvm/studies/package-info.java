/** Budget policies side by side, and the papers' results beside ours. */
@NullMarked
package io.deepvm.studies;

import org.jspecify.annotations.NullMarked;
