package io.deepvm.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * What became of the newest state after a revocation notice.
 *
 * @param newest the newest save; null when nothing was saved
 * @param inTime whether it was committed outside this worker before the time was up
 */
public record NoticeOutcome(@Nullable Ticket newest, boolean inTime) {}
