package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.LocalAssembly;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.units.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** A trainer to be killed; arguments: two anchors' ports, the reserve's folder, the archive's. */
public final class TrainerProcess {

  private TrainerProcess() {}

  public static void main(String[] args) throws IOException {
    Orders orders = new Orders();
    orders.start();
    Stores stores =
        new Stores(
            Integer.parseInt(args[0]),
            Integer.parseInt(args[1]),
            Path.of(args[2]),
            Path.of(args[3]));
    List<Slice> tensors = Model.zeros();
    Checkpoints checkpoints = new Checkpoints(stores.all(), 2);
    Restored restored = checkpoints.restore(Model.JOB, manifest -> tensors);
    long first = 1;
    if (restored != null) {
      first = restored.manifest().step() + 1;
      Orders.say((Model.isStep(tensors, first - 1) ? "RESTORED " : "WRONG ") + (first - 1));
    }
    long generation = 1;
    for (Tier tier : List.of(stores.memory(), stores.disks())) {
      generation = Math.max(generation, tier.generation(Model.JOB) + 1);
    }
    CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of(Model.JOB, generation, DataSize.parse("8MiB"))
                .withAttempts(4, Duration.ofMillis(50)),
            List.of(stores.memory(), stores.disks()),
            new LocalAssembly(InstantSource.system()),
            orders,
            System::nanoTime);
    engine.listen(
        (ticket, state) -> {
          if (state == TicketState.DURABLE) {
            Orders.say("DURABLE " + ticket.version().step());
          }
        });
    engine.start();
    for (long step = first; ; step++) {
      Model.train(tensors, step);
      engine.save(step, TrainingState.replicated(tensors), Map.of());
      Orders.say("STEP " + step);
    }
  }
}
