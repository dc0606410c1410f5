package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;
import java.util.List;

/** Does tick by tick what a plan says, as far as the market lets it. */
public final class Replay implements GangPolicy {

  /** What is to run in a tick; the zone of nothing does not matter. */
  public record Part(Mode mode, int zone) {}

  private final List<Part> plan;

  public Replay(List<Part> plan) {
    this.plan = List.copyOf(plan);
  }

  @Override
  public void step(Gang gang) {
    Part part = plan.get(gang.tick());
    switch (part.mode()) {
      case NONE -> {
        if (gang.mode() != Mode.NONE) {
          gang.terminate();
        }
      }
      case SPOT -> gang.launchSpot(part.zone());
      case ON_DEMAND -> gang.launchOnDemand(part.zone());
    }
  }
}
