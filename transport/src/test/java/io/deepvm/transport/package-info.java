@NullMarked
package io.deepvm.transport;

import org.jspecify.annotations.NullMarked;
