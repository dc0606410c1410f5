package io.deepvm.studies.skynomad;

import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.DeadlineGuard;
import io.deepvm.simulator.gang.Gang;
import io.deepvm.simulator.gang.GangPolicy;

/** The original's last resort: for good on demand, even where spot runs well. */
final class ArtifactSafetyNet implements GangPolicy {

  private final GangPolicy policy;
  private boolean latched;

  ArtifactSafetyNet(GangPolicy policy) {
    this.policy = policy;
  }

  GangPolicy policy() {
    return policy;
  }

  boolean isLatched() {
    return latched;
  }

  @Override
  public void start(Gang gang) {
    latched = false;
    policy.start(gang);
  }

  @Override
  public void step(Gang gang) {
    double tick = gang.tickSeconds();
    double time = Math.floor((gang.job().deadlineSeconds() - gang.now()) / tick) * tick;
    double need = Math.ceil((gang.left() + gang.job().restartSeconds()) / tick) * tick;
    if (time < gang.left()) {
      throw new BadInput(
          "The original's simulator fails here: %s s of work in %s s.".formatted(gang.left(), time),
          "Maybe raise the deadline, or run it without --compat.");
    }
    if (!latched && need >= time) {
      latched = true;
      switch (gang.mode()) {
        case ON_DEMAND -> {}
        case SPOT -> gang.launchOnDemand(gang.zone());
        case NONE -> gang.launchOnDemand(DeadlineGuard.cheapestOnDemand(gang));
      }
    }
    if (!latched) {
      policy.step(gang);
    }
  }
}
