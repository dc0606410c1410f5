/** The commands plan, predict and models. */
@NullMarked
package io.deepvm.cli.plan;

import org.jspecify.annotations.NullMarked;
