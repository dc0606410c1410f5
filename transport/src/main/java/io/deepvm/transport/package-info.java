/**
 * One tensor transport for checkpoints and gradients: framed, chunked, checksummed, credit-based,
 * resumable and authenticated. It moves bytes between processes and does not know what they mean.
 */
@NullMarked
package io.deepvm.transport;

import org.jspecify.annotations.NullMarked;
