@NullMarked
package io.deepvm.trainer.server;

import org.jspecify.annotations.NullMarked;
