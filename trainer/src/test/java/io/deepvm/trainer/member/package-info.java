/** Tests of what members share. */
@NullMarked
package io.deepvm.trainer.member;

import org.jspecify.annotations.NullMarked;
