package io.deepvm.checkpoint.simulation.scenario;

import static io.deepvm.checkpoint.simulation.scenario.Scenario.SECOND;

import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Comes when nothing goes wrong any more: looks for all that was saved, and saves once more. */
final class LastWriter {

  private final World world;
  private final Plan plan;
  private final History history;

  LastWriter(World world, Plan plan, History history) {
    this.world = world;
    this.plan = plan;
    this.history = history;
  }

  void live(SimulatedProcess process) {
    Plan.Tiers tiers = plan.open(process);
    checkAll(process, tiers);
    while (!savesOnce(process, tiers)) {
      world.sleep(10 * SECOND);
    }
    checkAll(process, tiers);
    tiers.close();
  }

  /** Restores every version that the store lists. */
  private void checkAll(SimulatedProcess process, Plan.Tiers tiers) {
    Checkpoints store = new Checkpoints(List.of(tiers.store()), 1);
    awaitStore(process, tiers);
    Set<Version> restorable = new TreeSet<>();
    for (Checkpoints.Listed listed : store.list(Plan.JOB).checkpoints()) {
      try {
        history.restored(
            process.name(), listed.version(), TrainingSession.read(store, listed.version()));
        restorable.add(listed.version());
      } catch (IOException e) {
        world.event(process.name(), "cannot restore " + listed.version() + ": " + e.getMessage());
      }
    }
    history.check(restorable, world.machines());
  }

  /** An anchor may still be paused, or starting. */
  private void awaitStore(SimulatedProcess process, Plan.Tiers tiers) {
    boolean answers = false;
    while (!answers) {
      try {
        tiers.store().list(Plan.JOB);
        answers = true;
      } catch (IOException e) {
        world.event(process.name(), "waits for the store: " + e.getMessage());
        world.sleep(10 * SECOND);
      }
    }
  }

  private boolean savesOnce(SimulatedProcess process, Plan.Tiers tiers) {
    try {
      TrainingSession session =
          TrainingSession.begin(
              world, plan, history, process, tiers, new SplittableRandom(world.seed()));
      Version version = session.save();
      session.close(Duration.ofMinutes(10));
      return history.isSafe(version);
    } catch (IOException | InterruptedException e) {
      world.event(process.name(), "session fails: " + e);
      return false;
    }
  }
}
