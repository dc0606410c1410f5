@NullMarked
package io.deepvm.trainer.model;

import org.jspecify.annotations.NullMarked;
