package io.deepvm.studies.skynomad;

import io.deepvm.simulator.gang.GangOutcome;

/**
 * What a run in the original's simulator came to.
 *
 * @param publishedDollars what the original reports, for several zones without the last tick
 * @param publishedMigrations counted without the last tick too
 * @param full the same run to its end
 * @param safetyNet whether the run ended in the original's last resort
 */
public record ArtifactOutcome(
    double publishedDollars, int publishedMigrations, GangOutcome full, boolean safetyNet) {}
