package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.LocalAssembly;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.units.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** A trainer to be killed; arguments: its generation, two anchors' ports, the reserve's folder. */
public final class TrainerProcess {

  private static final Duration STEP = Duration.ofMillis(40);

  private TrainerProcess() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Orders orders = new Orders();
    orders.start();
    Stores stores =
        new Stores(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
    List<Tier> tiers = List.of(stores.memory(), stores.disks());
    List<Slice> tensors = Model.zeros();
    Restored restored = new Checkpoints(tiers, 2).restore(Model.JOB, manifest -> tensors);
    long first = 1;
    if (restored != null) {
      first = restored.manifest().step() + 1;
      Orders.say((Model.isStep(tensors, first - 1) ? "RESTORED " : "WRONG ") + (first - 1));
    }
    CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of(Model.JOB, Claim.of(Long.parseLong(args[0])), DataSize.parse("8MiB"))
                .withAttempts(4, Duration.ofMillis(50)),
            tiers,
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
      Thread.sleep(STEP.toMillis());
      engine.save(step, TrainingState.replicated(tensors), Map.of());
      Orders.say("STEP " + step);
    }
  }
}
