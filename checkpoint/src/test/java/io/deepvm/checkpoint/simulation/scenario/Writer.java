package io.deepvm.checkpoint.simulation.scenario;

import static io.deepvm.checkpoint.simulation.scenario.Scenario.MILLI;
import static io.deepvm.checkpoint.simulation.scenario.Scenario.SECOND;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;

/** A training process that begins session after session, often at the same moment as others. */
final class Writer {

  private final World world;
  private final Plan plan;
  private final History history;
  private final SplittableRandom random;

  Writer(World world, Plan plan, History history, SplittableRandom random) {
    this.world = world;
    this.plan = plan;
    this.history = history;
    this.random = random;
  }

  void live(SimulatedProcess process) {
    while (world.faults().isActive()) {
      if (random.nextBoolean()) {
        long now = world.scheduler().now();
        // many begin together, as after a power loss
        world.sleep(10 * SECOND - now % (10 * SECOND));
      }
      attempt(process);
      world.sleep(random.nextLong(5 * SECOND));
    }
  }

  private void attempt(SimulatedProcess process) {
    Plan.Tiers tiers = plan.open(process);
    try {
      TrainingSession session = TrainingSession.begin(world, plan, history, process, tiers, random);
      if (random.nextInt(3) == 0) {
        session.restore();
      }
      int saves = 1 + random.nextInt(6);
      for (int i = 0; i < saves; i++) {
        session.save();
        world.sleep(random.nextLong((random.nextInt(4) == 0 ? 10 * SECOND : 500 * MILLI)));
      }
      if (random.nextInt(4) == 0) {
        session.notice(Duration.ofSeconds(random.nextInt(30)));
      }
      session.close(Duration.ofSeconds(random.nextInt(60)));
    } catch (IOException e) {
      world.event(process.name(), "session fails: " + e);
    } catch (InterruptedException e) {
      world.problem("%s was interrupted.".formatted(process.name()));
    } catch (BadInput | OutOfMemoryError e) {
      // memory for the arena ran out
      world.event(process.name(), "session fails: " + e);
    } finally {
      tiers.close();
    }
  }
}
