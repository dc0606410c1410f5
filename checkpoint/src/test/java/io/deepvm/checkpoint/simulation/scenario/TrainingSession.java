package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Claims;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;

/** One generation of a job: an engine, and a state whose every byte is remembered. */
final class TrainingSession {

  private static final DataSize ARENA = new DataSize(64 << 10);
  private static final List<Behind> BEHIND = List.of(Behind.COALESCE, Behind.SKIP, Behind.BLOCK);
  private static final int MOST_BYTES = 12 << 10;

  private final World world;
  private final History history;
  private final SimulatedProcess process;
  private final SplittableRandom random;
  private final Checkpoints checkpoints;
  private final CheckpointEngine engine;
  private final long generation;
  private final List<Ticket> tickets = new ArrayList<>();
  private final Map<Ticket, TicketState> states = new HashMap<>();
  private long step;

  private TrainingSession(
      World world,
      Plan plan,
      History history,
      SimulatedProcess process,
      Plan.Tiers tiers,
      SplittableRandom random,
      Claim claim) {
    this.world = world;
    this.history = history;
    this.process = process;
    this.random = random;
    this.generation = claim.generation();
    this.checkpoints = new Checkpoints(tiers.tiers(), 1);
    EngineOptions options =
        EngineOptions.of(Plan.JOB, claim, ARENA)
            .withCopyThreads(1)
            .withRetention(plan.retention())
            .withAttempts(1 + random.nextInt(4), Duration.ofMillis(200))
            .withBehind(BEHIND.get(random.nextInt(BEHIND.size())), Duration.ofSeconds(30));
    this.engine = new CheckpointEngine(options, tiers.tiers());
    engine.listen(
        (ticket, state) -> {
          TicketState before = states.put(ticket, state);
          history.changed(process, ticket, before == null ? TicketState.STAGED : before, state);
        });
  }

  /** Takes a generation and starts an engine. */
  static TrainingSession begin(
      World world,
      Plan plan,
      History history,
      SimulatedProcess process,
      Plan.Tiers tiers,
      SplittableRandom random)
      throws IOException {
    Checkpoints checkpoints = new Checkpoints(tiers.tiers(), 1);
    Claim claim;
    if (random.nextBoolean()) {
      claim = checkpoints.nextGeneration(Plan.JOB);
    } else {
      // as an agent does for its client
      UUID client = new UUID(random.nextLong(), random.nextLong());
      claim = checkpoints.nextGeneration(Claims.Request.of(Plan.JOB, client));
      if (random.nextInt(4) == 0) {
        // the answer is lost, and the client asks again
        long before = claim.generation() - 1;
        claim = checkpoints.nextGeneration(new Claims.Request(Plan.JOB, client, 0, before));
      }
    }
    history.begun(process, claim.generation());
    history.listed(claim.generation(), restorable(tiers.store()));
    TrainingSession session =
        new TrainingSession(world, plan, history, process, tiers, random, claim);
    session.engine.start();
    return session;
  }

  private static Set<Version> restorable(Tier store) throws IOException {
    Set<Version> versions = new TreeSet<>();
    for (Holding holding : store.list(Plan.JOB)) {
      if (holding.complete()) {
        versions.add(holding.version());
      }
    }
    return versions;
  }

  /** Saves the next step, and returns which version that is. */
  Version save() {
    byte[] state = new byte[1 + random.nextInt(MOST_BYTES)];
    random.nextBytes(state);
    Version version = new Version(Plan.JOB, generation, ++step);
    history.saves(process, version, state);
    TensorSpec tensor = new TensorSpec("w", DType.U8, List.of((long) state.length));
    Slice slice = Slice.whole(tensor, ByteBuffer.wrap(state.clone()));
    Ticket ticket = engine.save(version.step(), TrainingState.replicated(List.of(slice)), Map.of());
    tickets.add(ticket);
    return version;
  }

  /** Restores the newest version that is whole, as training does when it begins. */
  void restore() {
    try {
      ByteBuffer[] target = {ByteBuffer.wrap(new byte[0])};
      Restored restored =
          checkpoints.restore(Plan.JOB, manifest -> List.of(target(manifest.tensors(), target)));
      if (restored != null) {
        history.restored(process.name(), restored.manifest().version(), target[0].array());
      }
    } catch (IOException e) {
      world.event(process.name(), "restores nothing: " + e.getMessage());
    }
  }

  /** Reads one version whole. */
  static byte[] read(Checkpoints checkpoints, Version version) throws IOException {
    ByteBuffer[] target = {ByteBuffer.wrap(new byte[0])};
    Restored unused =
        checkpoints.restore(version, manifest -> List.of(target(manifest.tensors(), target)));
    return target[0].array();
  }

  private static Slice target(List<TensorSpec> tensors, ByteBuffer[] target) {
    TensorSpec tensor = tensors.get(0);
    target[0] = ByteBuffer.wrap(new byte[(int) tensor.bytes()]);
    return Slice.whole(tensor, target[0]);
  }

  void notice(Duration lead) throws InterruptedException {
    var unused = engine.notice(lead);
  }

  void close(Duration deadline) throws InterruptedException {
    world.event(process.name(), "closes its engine within " + deadline.toSeconds() + " s");
    var unused = engine.close(deadline);
    history.ended(tickets);
  }
}
