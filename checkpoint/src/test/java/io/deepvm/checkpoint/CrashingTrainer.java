package io.deepvm.checkpoint;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that restores, checks what it got, and trains and saves until it dies: at the n-th
 * passing of a fault point, or when it is killed.
 */
final class CrashingTrainer {

  static final String JOB = "crash";

  private CrashingTrainer() {}

  static List<TensorSpec> model() {
    List<TensorSpec> model = new ArrayList<>(States.mixed());
    model.add(new TensorSpec("large", DType.U8, List.of(2_500_000L)));
    return model;
  }

  static boolean isStep(long step, List<Slice> found) {
    List<Slice> expected = States.at(step, model());
    for (int i = 0; i < expected.size(); i++) {
      if (!found.get(i).data().get(0).equals(expected.get(i).data().get(0))) {
        return false;
      }
    }
    return true;
  }

  /** Arguments: the folder, a fault point or "none", and at which passing to die. */
  public static void main(String[] args) throws Exception {
    AtomicInteger passings = new AtomicInteger(Integer.parseInt(args[2]));
    FaultPoints faults =
        point -> {
          if (point.name().equals(args[1]) && passings.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(137);
          }
        };
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, Path.of(args[0]), faults);
    Checkpoints checkpoints = new Checkpoints(List.of(disk), 2);
    List<Slice> live = States.zeros(model());
    Restored restored = checkpoints.restore(JOB, manifest -> live);
    long begin = 0;
    if (restored != null) {
      begin = restored.manifest().step();
      if (!restored.passedOver().isEmpty() || !isStep(begin, live)) {
        say("WRONG " + restored);
        System.exit(3);
      }
    }
    checkpoints.gc(JOB);
    EngineOptions options =
        EngineOptions.of(JOB, checkpoints.nextGeneration(JOB), DataSize.parse("16MiB"))
            .withBehind(Behind.BLOCK, Duration.ofSeconds(60))
            .withRetention(new Retention(2, 0));
    CheckpointEngine engine =
        new CheckpointEngine(
            options,
            List.of(disk),
            new LocalAssembly(java.time.InstantSource.system()),
            args[1].equals(FaultPoint.AFTER_STAGE.name()) ? faults : FaultPoints.NONE,
            System::nanoTime);
    engine.listen(
        (ticket, state) -> {
          if (state != TicketState.STAGED) {
            say("%s %d %s".formatted(state, ticket.version().step(), ticket.reasons()));
          }
        });
    engine.start();
    for (long step = begin + 1; step <= begin + 1_000; step++) {
      States.fill(live, step);
      engine.save(step, TrainingState.replicated(live), Map.of("step", "" + step));
    }
    engine.close();
    System.exit(4);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
