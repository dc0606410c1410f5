/** The commands below fit: speed models fitted to measurements. */
@NullMarked
package io.deepvm.cli.fit;

import org.jspecify.annotations.NullMarked;
