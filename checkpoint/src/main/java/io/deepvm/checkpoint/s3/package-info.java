@NullMarked
package io.deepvm.checkpoint.s3;

import org.jspecify.annotations.NullMarked;
