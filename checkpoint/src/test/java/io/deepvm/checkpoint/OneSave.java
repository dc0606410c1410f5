package io.deepvm.checkpoint;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Restores the newest checkpoint, saves the step after it and deletes what need not be kept. */
final class OneSave {

  private OneSave() {}

  /** A model of a few writes. */
  static List<TensorSpec> model() {
    List<TensorSpec> model = new ArrayList<>(States.mixed());
    model.add(new TensorSpec("large", DType.U8, List.of(600_000L)));
    return model;
  }

  static boolean isStep(long step, List<Slice> found) {
    List<Slice> expected = States.at(step, model());
    for (int i = 0; i < expected.size(); i++) {
      if (!found.get(i).data().equals(expected.get(i).data())) {
        return false;
      }
    }
    return true;
  }

  /** Argument: the folder. */
  public static void main(String[] args) throws Exception {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, Path.of(args[0]));
    Checkpoints checkpoints = new Checkpoints(List.of(disk), 1);
    List<Slice> live = States.zeros(model());
    Restored restored = checkpoints.restore(CrashingTrainer.JOB, manifest -> live);
    long step = restored == null ? 1 : restored.manifest().step() + 1;
    States.fill(live, step);
    // not claimed here: all that is written is to be written by one thread, which is counted
    Claim next = Claim.of(checkpoints.newestGeneration(CrashingTrainer.JOB) + 1);
    EngineOptions options =
        EngineOptions.of(CrashingTrainer.JOB, next, DataSize.parse("16MiB"))
            .withRetention(new Retention(2, 0));
    boolean durable;
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(disk))) {
      engine.start();
      Ticket ticket = engine.save(step, TrainingState.replicated(live), Map.of());
      durable = ticket.await(Level.DURABLE, Duration.ofSeconds(60));
      System.out.println((durable ? "DURABLE " : "FAILED ") + step);
    }
    System.exit(durable ? 0 : 3);
  }
}
