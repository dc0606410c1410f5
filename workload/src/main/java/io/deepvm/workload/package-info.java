@NullMarked
package io.deepvm.workload;

import org.jspecify.annotations.NullMarked;
