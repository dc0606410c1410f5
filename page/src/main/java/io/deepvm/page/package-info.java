/** Pages in the browser: a safe server on this machine, and the parts that pages share. */
@NullMarked
package io.deepvm.page;

import org.jspecify.annotations.NullMarked;
