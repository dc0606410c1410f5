package io.deepvm.bench.chaos;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.LocalAssembly;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A trainer to be killed; arguments: a number no other start has, two anchors' ports, the reserve's
 * folder. One that another trainer has taken over from trains on for a while without saving, as a
 * process does that was thought dead, and then takes over in its turn.
 */
public final class TrainerProcess {

  private static final Duration STEP = Duration.ofMillis(40);
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);
  private static final int LEAST_ZOMBIE_STEPS = 15;
  private static final int MOST_ZOMBIE_STEPS = 60;
  private static final int SESSIONS = 1_000_000;
  private static final String SALT = "salt";

  private final Orders orders;
  private final List<Tier> tiers;
  private final List<Slice> tensors = Model.zeros();
  private long steps;
  private volatile Version durable = new Version(Model.JOB, 0, 0);

  private TrainerProcess(Orders orders, List<Tier> tiers) {
    this.orders = orders;
    this.tiers = tiers;
  }

  public static void main(String[] args) throws InterruptedException {
    Orders orders = new Orders();
    orders.start();
    Stores stores =
        new Stores(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
    TrainerProcess trainer = new TrainerProcess(orders, List.of(stores.memory(), stores.disks()));
    long number = Long.parseLong(args[0]);
    SplittableRandom random = new SplittableRandom(number);
    for (long salt = number * SESSIONS; ; salt++) {
      try {
        trainer.session(salt);
      } catch (IOException e) {
        System.err.println("No session can begin: " + e);
      }
      int zombie = random.nextInt(LEAST_ZOMBIE_STEPS, MOST_ZOMBIE_STEPS);
      for (int i = 0; i < zombie; i++) {
        trainer.step();
      }
    }
  }

  private void step() throws InterruptedException {
    Thread.sleep(STEP.toMillis());
    Orders.say("STEP " + ++steps);
  }

  /** Takes over, goes on from the newest checkpoint, and saves until another one takes over. */
  private void session(long salt) throws IOException, InterruptedException {
    Checkpoints checkpoints = new Checkpoints(tiers, 2);
    // first, so that nothing is committed any more behind the restored one
    Claim claim = checkpoints.nextGeneration(Model.JOB);
    Orders.say("CLAIMED %d %d".formatted(claim.generation(), salt));
    long step = restore(checkpoints);
    CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of(Model.JOB, claim, DataSize.parse("8MiB"))
                .withAttempts(4, Duration.ofMillis(50)),
            tiers,
            new LocalAssembly(InstantSource.system()),
            orders,
            System::nanoTime);
    engine.listen(this::changed);
    engine.start();
    try {
      Deque<Ticket> tickets = new ArrayDeque<>();
      while (!isTakenOver(tickets)) {
        Model.train(tensors, ++step, salt);
        step();
        tickets.add(
            engine.save(
                step, TrainingState.replicated(tensors), Map.of(SALT, Long.toString(salt))));
      }
    } finally {
      engine.close(LAST_WORDS);
    }
  }

  /** Returns the step of the newest checkpoint, whose state the tensors are now. */
  private long restore(Checkpoints checkpoints) throws IOException {
    Restored restored = checkpoints.restore(Model.JOB, manifest -> tensors);
    if (restored == null) {
      return 0;
    }
    Manifest manifest = restored.manifest();
    Version version = manifest.version();
    long salt = Long.parseLong(manifest.metadata(0).getOrDefault(SALT, "0"));
    boolean right = Model.isStep(tensors, version.step(), salt);
    boolean kept = version.compareTo(durable) >= 0;
    Orders.say(
        "%s %d %d"
            .formatted(
                !right ? "WRONG" : kept ? "RESTORED" : "LOST",
                version.generation(),
                version.step()));
    return version.step();
  }

  private void changed(Ticket ticket, TicketState state) {
    if (state == TicketState.REPLICATED || state == TicketState.FAILED) {
      // one that failed may be complete somewhere all the same, and then retention counts it
      Version version = ticket.version();
      Orders.say("BROUGHT %d %d".formatted(version.generation(), version.step()));
    }
    if (state == TicketState.DURABLE) {
      Version version = ticket.version();
      durable = version;
      Orders.say("DURABLE %d %d".formatted(version.generation(), version.step()));
    }
  }

  /** Returns whether one of the saves says so; forgets those that are settled. */
  private static boolean isTakenOver(Deque<Ticket> tickets) {
    boolean over =
        tickets.stream()
            .flatMap(ticket -> ticket.reasons().stream())
            .anyMatch(
                reason ->
                    reason.contains("has taken over")
                        || reason.contains("belongs to another session"));
    tickets.removeIf(Ticket::settled);
    return over;
  }
}
