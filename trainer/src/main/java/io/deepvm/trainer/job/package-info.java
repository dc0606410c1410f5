/** What is trained, and how. */
@NullMarked
package io.deepvm.trainer.job;

import org.jspecify.annotations.NullMarked;
