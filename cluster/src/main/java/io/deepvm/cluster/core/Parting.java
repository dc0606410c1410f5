package io.deepvm.cluster.core;

import io.deepvm.cluster.log.RunPhase;

/**
 * A run that stops once its servers have saved.
 *
 * @param outcome the phase that the run ends in
 * @param step the step that must be saved
 * @param untilMs the end of the wait
 */
record Parting(RunPhase outcome, String reason, long step, long untilMs) {}
