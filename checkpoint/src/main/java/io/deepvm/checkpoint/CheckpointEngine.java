package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.Arena;
import io.deepvm.checkpoint.memory.ChunkPool;
import io.deepvm.checkpoint.memory.Image;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Saves the state of one worker without holding up training for longer than a copy in memory. From
 * the staged copy it is written into every tier, each by a thread of its own; an archive is filled
 * from the tier before it. Trouble with storage ends in the ticket, never in the training thread.
 *
 * <p>The engine wires its parts: {@link Admission} finds room for a state, {@link Deliveries} knows
 * which tier has which save, a {@link LaneThread} writes into each tier, {@link Housekeeping}
 * deletes there what need not be kept, {@link SaveClock} says when to save, and {@link
 * EngineFigures} counts.
 */
public final class CheckpointEngine implements Closeable {

  private static final System.Logger LOG = System.getLogger(CheckpointEngine.class.getName());
  private static final Duration CLOSE_DEADLINE = Duration.ofMinutes(1);

  /** Longest wait on close for the withdrawal messages to other workers. */
  private static final Duration LAST_WITHDRAWALS = Duration.ofSeconds(3);

  private final EngineOptions options;
  private final Withdrawals withdrawals;
  private final FaultPoints faults;
  private final LongSupplier nanoTime;
  private final SaveInterval interval;
  private final EngineLife life = new EngineLife();
  private final EngineFigures figures;
  private final Deliveries deliveries;
  private final Admission admission;
  private final SaveClock clock;
  private final Map<String, LaneThread> work = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<TicketListener> listeners = new CopyOnWriteArrayList<>();
  private volatile @Nullable Crew crew;

  /** Prepares an engine for one worker, to be started; the tiers stay the caller's to close. */
  public CheckpointEngine(EngineOptions options, List<Tier> tiers) {
    this(
        options,
        tiers,
        new LocalAssembly(InstantSource.system()),
        FaultPoints.NONE,
        System::nanoTime);
  }

  /**
   * Prepares an engine for one of several workers.
   *
   * @param tiers the fastest first; a tier of {@link Level#ARCHIVED} is filled from the one before
   * @param assembly where the workers meet; one for all of them
   */
  public CheckpointEngine(
      EngineOptions options,
      List<Tier> tiers,
      Assembly assembly,
      FaultPoints faults,
      LongSupplier nanoTime) {
    this.options = options;
    this.withdrawals = new Withdrawals(assembly, options.worker());
    this.faults = faults;
    this.nanoTime = nanoTime;
    this.interval = new SaveInterval(nanoTime, options.expectedUptime());
    this.figures = new EngineFigures(nanoTime);
    boolean first = options.worker() == 0;
    this.deliveries =
        new Deliveries(life, lanes(tiers, first), withdrawals, figures, interval, nanoTime, first);
    this.admission = new Admission(options, life, deliveries);
    this.clock = new SaveClock(nanoTime, interval, options.behind() == Behind.BLOCK);
    for (TierLane lane : deliveries.lanes()) {
      LaneWrite write = new LaneWrite(lane, options, life, deliveries, assembly, nanoTime);
      work.put(lane.name(), new LaneThread(lane, options, life, figures, deliveries, write));
    }
  }

  private static List<TierLane> lanes(List<Tier> tiers, boolean first) {
    List<TierLane> lanes = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Tier tier : tiers) {
      if (!names.add(tier.name())) {
        throw new BadInput(
            "Two tiers are called '%s'.".formatted(tier.name()), "Maybe rename one.");
      }
      boolean copied = tier.level() == Level.ARCHIVED && !lanes.isEmpty();
      // the first worker copies for all
      if (!copied || first) {
        lanes.add(new TierLane(tier, copied ? lanes.get(lanes.size() - 1) : null));
      }
    }
    if (lanes.isEmpty()) {
      throw new BadInput("There is no tier to save into.", "Maybe give a folder.");
    }
    return lanes;
  }

  /**
   * Allocates the arena and starts the threads: one a tier, those that copy, and one that sends
   * withdrawals to the other workers.
   */
  public void start() {
    start(new ChunkPool(options.arena()));
  }

  /** Starts with an arena made elsewhere, such as one that other processes write into. */
  public void start(Arena memory) {
    life.lock();
    try {
      life.start();
      admission.open(memory);
      crew = new Crew("deepvm-checkpoint-copy", options.copyThreads());
      withdrawals.start();
      work.forEach(
          (tier, lane) -> {
            Thread thread = DaemonThreads.of("deepvm-checkpoint-" + tier, lane);
            threads.add(thread);
            thread.start();
          });
    } finally {
      life.unlock();
    }
  }

  /** Informs the listener of each change of all later saves. */
  public void listen(TicketListener listener) {
    listeners.add(listener);
  }

  /** Returns the rule behind {@link #shouldSave}; callers report revocations to it. */
  public SaveInterval interval() {
    return interval;
  }

  /**
   * Takes the state as it is now and returns once training may change it. Storage never makes this
   * throw; the ticket says how the save fares.
   *
   * @param metadata a few facts that belong to the state, such as the position in the data
   */
  public Ticket save(long step, TrainingState state, Map<String, String> metadata) {
    long begin = nanoTime.getAsLong();
    checkSize(metadata);
    ShardLayout layout = ShardLayout.of(state.share(options.worker(), options.workers()));
    Ticket ticket = ticket(step, layout);
    Image image = room(ticket);
    if (image != null && copy(layout, image, ticket)) {
      accept(ticket, layout, metadata, image, begin);
    }
    noteStall(begin);
    return ticket;
  }

  /**
   * Makes room for a state that the caller will copy into it, as another process does, by the same
   * rules as {@link #save}. Each reservation must be staged or cancelled.
   */
  public Reservation reserve(long step, List<TensorSpec> tensors, Map<String, String> metadata) {
    long begin = nanoTime.getAsLong();
    checkSize(metadata);
    ShardLayout layout = ShardLayout.ofElsewhere(tensors);
    Map<String, Long> offsets = layout.offsets();
    if (offsets.size() < tensors.size()) {
      throw new BadInput("Two tensors have one name.", "Maybe give each its own.");
    }
    Ticket ticket = ticket(step, layout);
    Image image = room(ticket);
    if (image == null) {
      noteStall(begin);
    }
    return new Reservation(
        ticket,
        image,
        offsets,
        new Reservation.Ends() {
          @Override
          public void staged(Image filled) {
            accept(ticket, layout, metadata, filled, begin);
            noteStall(begin);
          }

          @Override
          public void cancelled(Image unfilled, String reason) {
            admission.release(unfilled);
            deliveries.refuse(ticket, TicketState.FAILED, reason);
          }
        });
  }

  private static void checkSize(Map<String, String> metadata) {
    long size = 0;
    for (Map.Entry<String, String> entry : metadata.entrySet()) {
      size += entry.getKey().length() + entry.getValue().length();
    }
    if (size > Shard.MAX_METADATA) {
      throw new BadInput(
          "%d characters of metadata are more than %d.".formatted(size, Shard.MAX_METADATA),
          "Maybe keep it in a tensor.");
    }
  }

  private Ticket ticket(long step, ShardLayout layout) {
    Version version = new Version(options.job(), options.generation(), step);
    Ticket ticket = new Ticket(version, layout.bytes());
    listeners.forEach(ticket::listenLater);
    return ticket;
  }

  private @Nullable Image room(Ticket ticket) {
    figures.countSave();
    clock.begins(ticket.bytes());
    return admission.room(ticket);
  }

  /** Copies into the arena and returns whether that worked; if not, ends the ticket. */
  private boolean copy(ShardLayout layout, Image image, Ticket ticket) {
    Crew copiers = crew;
    try {
      if (copiers == null) {
        throw new IOException("The engine is not running.");
      }
      Staging.copy(layout, image, copiers);
      faults.reached(FaultPoint.AFTER_STAGE);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      // a mapped file that shrank shows as an InternalError
      admission.release(image);
      deliveries.refuse(ticket, TicketState.FAILED, "The state could not be copied: " + e);
      return false;
    }
  }

  private void accept(
      Ticket ticket, ShardLayout layout, Map<String, String> metadata, Image image, long begin) {
    ShardName name = new ShardName(options.worker(), options.workers());
    deliveries.accept(
        ticket, new StagedShard(ticket.version(), name, layout, metadata, image), begin);
    clock.staged();
  }

  private void noteStall(long begin) {
    Duration stall = Duration.ofNanos(nanoTime.getAsLong() - begin);
    interval.observeStall(stall);
    figures.stalled(stall);
  }

  /**
   * Returns whether now is a good time to save: the first time, and then as often as costs least,
   * but not while the last save would have to be dropped for it.
   */
  public boolean shouldSave(long step) {
    return clock.isDue(step, admission);
  }

  /**
   * Prepares for the loss of this node: the newest save goes before all others, and those that
   * would keep it from arriving in time are given up.
   *
   * @param lead the time until the node is lost; returns by then, or as soon as the state is safe
   */
  public NoticeOutcome notice(Duration lead) throws InterruptedException {
    Ticket newest = deliveries.hurryNewest(lead);
    return new NoticeOutcome(newest, newest != null && newest.await(Level.REPLICATED, lead));
  }

  /** Returns the counts and times of this moment. */
  public Metrics metrics() {
    return figures.metrics(admission.bytesInUse());
  }

  /** Takes no more saves, finishes those begun until the deadline, and reports what is safe. */
  public ClosingReport close(Duration deadline) throws InterruptedException {
    List<Save> unfinished = deliveries.finish(deadline);
    stop(!unfinished.isEmpty());
    deliveries.abort(unfinished);
    withdrawals.close(LAST_WITHDRAWALS);
    return new ClosingReport(figures.durableStep(), unfinished.stream().map(Save::ticket).toList());
  }

  private void stop(boolean hard) throws InterruptedException {
    for (Thread thread : threads) {
      if (hard) {
        thread.interrupt();
      }
      // a thread that hangs in the disk's driver is left behind; it is a daemon
      thread.join(TimeUnit.SECONDS.toMillis(5));
    }
    Crew copiers = crew;
    if (copiers != null) {
      copiers.close();
    }
  }

  /** Closes with a deadline of a minute. */
  @Override
  public void close() {
    try {
      ClosingReport report = close(CLOSE_DEADLINE);
      if (!report.unfinished().isEmpty()) {
        LOG.log(System.Logger.Level.WARNING, "Not finished: {0}", report.unfinished());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
