/** The commands below market: records of spot markets. */
@NullMarked
package io.deepvm.cli.market;

import org.jspecify.annotations.NullMarked;
