@NullMarked
package io.deepvm.catalog;

import org.jspecify.annotations.NullMarked;
