package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.io.IOException;

/** An anchor's process. */
final class AnchorRole {

  private static final DataSize MEMORY = new DataSize(64 << 10);

  private final Plan plan;
  private final int number;

  AnchorRole(Plan plan, int number) {
    this.plan = plan;
    this.number = number;
  }

  void live(SimulatedProcess process) {
    World world = World.current();
    while (true) {
      try {
        start(process);
        return;
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        world.event(process.name(), "does not start: " + e);
        world.sleep(Scenario.SECOND);
      }
    }
  }

  private void start(SimulatedProcess process) throws IOException {
    AnchorOptions options =
        AnchorOptions.of(Plan.address(number), MEMORY, process.files().getPath("/anchor"));
    AnchorService anchor =
        new AnchorService(plan.uploads() ? options.withArchive(plan.objectStore()) : options);
    boolean started = false;
    try {
      anchor.start();
      started = true;
    } finally {
      if (!started) {
        anchor.close();
      }
    }
  }
}
