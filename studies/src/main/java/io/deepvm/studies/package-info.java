@NullMarked
package io.deepvm.studies;

import org.jspecify.annotations.NullMarked;
