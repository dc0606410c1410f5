package io.deepvm.studies.multicloud;

import org.jspecify.annotations.Nullable;

/**
 * What was measured of a run beside its speed; null where it is not stated.
 *
 * @param granularityPrinted as the paper prints it, from timers that do not wait for the GPU
 * @param granularityWall by the clock on the wall, waiting counted as calculating
 * @param communicationSeconds of a round
 * @param dollarsPerMillionMachines for a million samples, without traffic
 * @param dollarsPerMillion for a million samples, with traffic
 */
record RunFigures(
    @Nullable Double granularityPrinted,
    @Nullable Double granularityWall,
    @Nullable Double communicationSeconds,
    @Nullable Double dollarsPerMillionMachines,
    @Nullable Double dollarsPerMillion) {}
