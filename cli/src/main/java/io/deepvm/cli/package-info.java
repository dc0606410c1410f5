@NullMarked
package io.deepvm.cli;

import org.jspecify.annotations.NullMarked;
