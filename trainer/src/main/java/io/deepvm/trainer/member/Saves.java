package io.deepvm.trainer.member;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.base.DataSize;
import io.deepvm.base.HostPort;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.trainer.job.CheckpointSpec;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A member's checkpoints: one member saves for all, any may restore. */
public final class Saves {

  private static final Duration PAUSE = Duration.ofSeconds(30);
  private static final Duration CLOSING = Duration.ofSeconds(60);
  private static final long LEAST_ARENA = 1 << 20;

  private final String job;

  /** What decides which samples a number of steps stands for. */
  private final Map<String, String> order;

  private final @Nullable CheckpointSpec spec;
  private final List<Tier> tiers = new ArrayList<>();
  private final AgentChannel agent;
  private final Map<String, String> notes = new HashMap<>();
  private @Nullable CheckpointEngine engine;
  private long lastSaved = -1;
  private final LongSupplier nanoTime;
  private final Losses losses;
  private @Nullable Long failed;

  /**
   * Saves nothing and restores nothing if there is no specification.
   *
   * @param tls adds certificates to the connections to anchors
   */
  public Saves(
      TrainingJob job,
      @Nullable CheckpointSpec spec,
      AgentChannel agent,
      UnaryOperator<Security> tls) {
    this(job, spec, agent, tls, System::nanoTime);
  }

  Saves(
      TrainingJob job,
      @Nullable CheckpointSpec spec,
      AgentChannel agent,
      UnaryOperator<Security> tls,
      LongSupplier nanoTime) {
    this.job = job.name();
    this.nanoTime = nanoTime;
    losses = new Losses(nanoTime);
    order =
        Map.of(
            "strategy", job.strategy().toString(),
            "batch.micro", Integer.toString(job.microBatch()),
            "batch.target", Integer.toString(job.targetBatch()),
            "seed", Long.toString(job.seed()));
    this.spec = spec;
    this.agent = agent;
    if (spec != null) {
      Security security =
          tls.apply(
              spec.tokenFile() == null
                  ? Security.none()
                  : Security.of(new TokenFile(spec.tokenFile())).as(Role.WORKER));
      for (String anchor : spec.anchors()) {
        tiers.add(
            new RemoteTier(
                anchor,
                Level.REPLICATED,
                AnchorClient.secured(HostPort.parse(anchor).resolved(), security)));
      }
      if (spec.folder() != null) {
        tiers.add(new DirectoryTier("folder", Level.DURABLE, spec.folder()));
      }
    }
  }

  /** A generation begins: each member of the last one that is gone counts as a revocation. */
  public void form(Order.Form form) {
    losses.form(form.members().stream().map(Member::node).collect(Collectors.toSet()));
  }

  /** Restores the newest checkpoint and returns its totals; null if there is none. */
  public @Nullable Totals restore(ModelState state) throws IOException {
    if (tiers.isEmpty()) {
      return null;
    }
    state.invalidate();
    Restored restored = new Checkpoints(tiers, 1).restore(job, targets(state));
    return restored == null ? null : ModelState.totals(restored.manifest().metadata(0));
  }

  /**
   * Restores the newest checkpoint that survives all members, if it is whole and of a later step
   * than the members have: the one that saved it may be lost before the others knew the step.
   * Returns its totals; null if there is none, or if reading it failed, in which case the state may
   * be invalid.
   */
  public @Nullable Totals restoreLater(ModelState state, long step) {
    List<Tier> lasting =
        tiers.stream().filter(tier -> tier.level().compareTo(Level.DURABLE) >= 0).toList();
    if (lasting.isEmpty()) {
      return null;
    }
    Checkpoints checkpoints = new Checkpoints(lasting, 1);
    try {
      List<Checkpoints.Listed> all = checkpoints.list(job).checkpoints();
      boolean later = !all.isEmpty() && all.get(0).version().step() > step;
      if (!later || !checkpoints.verify(all.get(0).version()).isEmpty()) {
        return null;
      }
      state.invalidate();
      Restored restored = checkpoints.restore(all.get(0).version(), targets(state));
      return ModelState.totals(restored.manifest().metadata(0));
    } catch (IOException e) {
      System.err.println("The newest checkpoint cannot be read: " + e.getMessage());
      return null;
    }
  }

  private Function<Manifest, List<Slice>> targets(ModelState state) {
    return manifest -> {
      checkSame(state.slices(), manifest.tensors());
      checkOrder(manifest.metadata(0));
      return state.slices();
    };
  }

  private void checkSame(List<Slice> ours, List<TensorSpec> saved) {
    Set<TensorSpec> wanted = new HashSet<>();
    ours.forEach(slice -> wanted.add(slice.tensor()));
    if (!wanted.equals(new HashSet<>(saved))) {
      throw new BadInput(
          "The checkpoint of '%s' is of another model or optimizer.".formatted(job),
          "Maybe give the job another name, or the checkpoints another folder.");
    }
  }

  /** With another order the samples after a step are not those that were left to train on. */
  private void checkOrder(Map<String, String> saved) {
    order.forEach(
        (key, ours) -> {
          String theirs = saved.getOrDefault(key, ours);
          if (!theirs.equals(ours)) {
            throw new BadInput(
                "The checkpoint of '%s' has %s %s, the job has %s, so other samples would follow."
                    .formatted(job, key, theirs, ours),
                "Maybe set it back, give the job another name, or the checkpoints another folder.");
          }
        });
  }

  /** Saves if it is time; this process saves for all from now on. */
  public double afterStep(ModelState state, boolean last) throws IOException {
    Totals totals = state.totals();
    if (spec == null || totals == null) {
      return 0;
    }
    long begin = System.nanoTime();
    if (last || due(state, totals.step() - 1, totals.step())) {
      save(engine(state, last), state, totals);
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  /** Whether it is time to save after the steps from one to another. */
  public boolean due(ModelState state, long before, long now) throws IOException {
    CheckpointSpec how = spec;
    if (how == null) {
      return false;
    }
    if (how.every() > 0) {
      return now / how.every() > before / how.every();
    }
    CheckpointEngine saving = engine(state, false);
    return saving != null && saving.shouldSave(now);
  }

  /** Notes something to be kept with every later checkpoint. */
  public void note(String key, String value) {
    notes.put(key, value);
  }

  private void save(@Nullable CheckpointEngine saving, ModelState state, Totals totals) {
    if (saving == null || lastSaved == totals.step()) {
      return;
    }
    lastSaved = totals.step();
    Map<String, String> metadata = new HashMap<>(notes);
    metadata.putAll(order);
    metadata.putAll(ModelState.metadata(totals));
    saving.save(totals.step(), TrainingState.replicated(state.slices()), metadata);
  }

  /** Saves the newest state at once, since this node will be lost. */
  public void notice(ModelState state, Order.Notice notice) throws IOException {
    Totals totals = state.totals();
    if (spec == null || totals == null) {
      return;
    }
    CheckpointEngine saving = engine(state, true);
    if (saving == null) {
      return;
    }
    save(saving, state, totals);
    DaemonThreads.start(
        "notice",
        () -> {
          try {
            saving.notice(Duration.ofNanos((long) (notice.leadSeconds() * 1e9)));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /**
   * Returns what saves. When it cannot be made it is null for a while, since trying may take
   * seconds in which nobody trains.
   *
   * @param urgent whether it is tried at once
   */
  private @Nullable CheckpointEngine engine(ModelState state, boolean urgent) throws IOException {
    boolean pausing = failed != null && nanoTime.getAsLong() - failed < PAUSE.toNanos();
    if (engine == null && (urgent || !pausing)) {
      try {
        engine = make(state);
      } catch (IOException e) {
        failed = nanoTime.getAsLong();
        throw e;
      }
    }
    return engine;
  }

  private CheckpointEngine make(ModelState state) throws IOException {
    long arena = Math.max(LEAST_ARENA, 2 * state.bytes() + state.bytes() / 8);
    CheckpointEngine made =
        new CheckpointEngine(
            EngineOptions.of(
                    job, new Checkpoints(tiers, 1).nextGeneration(job), new DataSize(arena))
                .withCopyThreads(1),
            tiers);
    made.listen(this::changed);
    losses.follow(made.interval());
    made.start();
    return made;
  }

  private void changed(Ticket ticket, TicketState to) {
    if (to == TicketState.DURABLE || to == TicketState.REPLICATED || to == TicketState.FAILED) {
      agent.report(
          new Report.Saved(
              ticket.version().step(), to.name(), String.join("; ", ticket.reasons())));
    }
  }

  /** Another member saves from now on; what was begun is finished. */
  public void leaveToOthers() throws InterruptedException {
    CheckpointEngine running = engine;
    if (running != null) {
      engine = null;
      lastSaved = -1;
      running.close(CLOSING);
    }
  }
}
