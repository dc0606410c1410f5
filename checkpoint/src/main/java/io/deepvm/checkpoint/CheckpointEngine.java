package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.Arena;
import io.deepvm.checkpoint.memory.ChunkPool;
import io.deepvm.checkpoint.memory.Image;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Saves the state of one worker without holding up training for longer than a copy in memory. From
 * the staged copy it is written into every tier, each by a thread of its own; an archive is filled
 * from the tier before it. Trouble with storage ends in the ticket, never in the training thread.
 */
public final class CheckpointEngine implements Closeable {

  private static final System.Logger LOG = System.getLogger(CheckpointEngine.class.getName());
  private static final Duration CLOSE_DEADLINE = Duration.ofMinutes(1);

  /** So long closing waits for the other workers to be told what will not come. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(3);

  private enum Phase {
    LATENT,
    STARTED,
    CLOSING,
    CLOSED
  }

  private final EngineOptions options;
  private final Assembly assembly;
  private final Withdrawals withdrawals;
  private final FaultPoints faults;
  private final LongSupplier nanoTime;
  private final SaveInterval interval;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<TicketListener> listeners = new CopyOnWriteArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Save> open = new LinkedHashSet<>();
  private Phase phase = Phase.LATENT;
  private @Nullable Arena arena;
  private @Nullable Crew crew;
  private @Nullable Ticket newest;
  private @Nullable Long lastStep;
  private @Nullable Long durableStep;
  private long durableAt;
  private long lastSaveAt;
  private long lastBytes;
  private long askedStep = -1;
  private long askedAt;
  private double stepNanos;
  private long saves;
  private long skipped;
  private long failed;
  private long tierFailures;
  private long retries;
  private Duration lastStall = Duration.ZERO;
  private Duration totalStall = Duration.ZERO;
  private Duration lastWrite = Duration.ZERO;

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
    this.assembly = assembly;
    this.withdrawals = new Withdrawals(assembly, options.worker());
    this.faults = faults;
    this.nanoTime = nanoTime;
    this.interval = new SaveInterval(nanoTime, options.expectedUptime());
    Set<String> names = new HashSet<>();
    for (Tier tier : tiers) {
      if (!names.add(tier.name())) {
        throw new BadInput(
            "Two tiers are called '%s'.".formatted(tier.name()), "Maybe rename one.");
      }
      boolean copied = tier.level() == Level.ARCHIVED && !lanes.isEmpty();
      // the first worker copies for all
      if (!copied || options.worker() == 0) {
        lanes.add(new Lane(tier, copied ? lanes.get(lanes.size() - 1) : null, options));
      }
    }
    if (lanes.isEmpty()) {
      throw new BadInput("There is no tier to save into.", "Maybe give a folder.");
    }
  }

  /**
   * Allocates the arena and starts the threads: one a tier, those that copy, and one that tells the
   * other workers what will not come.
   */
  public void start() {
    start(new ChunkPool(options.arena()));
  }

  /** Starts with an arena made elsewhere, such as one that other processes write into. */
  public void start(Arena memory) {
    lock.lock();
    try {
      if (phase != Phase.LATENT) {
        throw new IllegalStateException("The engine was started before.");
      }
      arena = memory;
      crew = new Crew("deepvm-checkpoint-copy", options.copyThreads());
      phase = Phase.STARTED;
      withdrawals.start();
      for (Lane lane : lanes) {
        Thread thread = new Thread(() -> serve(lane), "deepvm-checkpoint-" + lane.tier.name());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells the listener how all later saves fare. */
  public void listen(TicketListener listener) {
    listeners.add(listener);
  }

  /** Returns what the engine uses to answer {@link #shouldSave}; revocations are told to it. */
  public SaveInterval interval() {
    return interval;
  }

  /**
   * Takes the state as it is now and returns once training may change it. Storage never makes this
   * throw; how the save fares is in the ticket.
   *
   * @param metadata a few facts that belong to the state, such as the position in the data
   */
  public Ticket save(long step, TrainingState state, Map<String, String> metadata) {
    long begin = nanoTime.getAsLong();
    Version version = new Version(options.job(), options.generation(), step);
    checkSize(metadata);
    Layout layout = Layout.of(state.share(options.worker(), options.workers()));
    Ticket ticket = new Ticket(version, layout.bytes());
    listeners.forEach(ticket::listenLater);
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
    Version version = new Version(options.job(), options.generation(), step);
    checkSize(metadata);
    Layout layout = Layout.ofElsewhere(tensors);
    Map<String, Long> offsets = layout.offsets();
    if (offsets.size() < tensors.size()) {
      throw new BadInput("Two tensors have one name.", "Maybe give each its own.");
    }
    Ticket ticket = new Ticket(version, layout.bytes());
    listeners.forEach(ticket::listenLater);
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
            release(unfilled);
            refuse(ticket, TicketState.FAILED, reason);
          }
        });
  }

  private void release(Image image) {
    image.close();
    lock.lock();
    try {
      // whoever waits for room may look again
      changed.signalAll();
    } finally {
      lock.unlock();
    }
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

  /** Returns room in the arena, made by the rule for being behind, or null and ends the ticket. */
  private @Nullable Image room(Ticket ticket) {
    List<Save> dropped = new ArrayList<>();
    Image image = null;
    String refusal = null;
    boolean fits = false;
    lock.lock();
    try {
      saves++;
      lastSaveAt = nanoTime.getAsLong();
      lastBytes = ticket.bytes();
      Arena pool = arena;
      fits = pool != null && pool.cost(ticket.bytes()) <= pool.capacity();
      if (pool != null && fits && phase == Phase.STARTED) {
        image = pool.acquire(ticket.bytes());
        if (image == null && options.behind() == Behind.COALESCE) {
          image = makeRoom(pool, ticket, dropped) ? pool.acquire(ticket.bytes()) : null;
        }
        long patience = options.behind() == Behind.BLOCK ? options.blockTimeout().toNanos() : 0;
        while (image == null && patience > 0 && phase == Phase.STARTED) {
          patience = changed.awaitNanos(patience);
          image = pool.acquire(ticket.bytes());
        }
      }
      refusal = image == null ? whyNoRoom(ticket, fits) : null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      refusal = "Training was interrupted while it waited for room.";
    } finally {
      lock.unlock();
    }
    dropped.forEach(this::conclude);
    if (refusal != null) {
      refuse(ticket, fits ? TicketState.SKIPPED : TicketState.FAILED, refusal);
    }
    return image;
  }

  private String whyNoRoom(Ticket ticket, boolean fits) {
    if (phase != Phase.STARTED) {
      return "The engine is not running.";
    }
    return fits
        ? "Storage is behind: the steps %s are still being written."
            .formatted(open.stream().map(Save::step).sorted().toList())
        : "The state (%s) is larger than the arena (%s)."
            .formatted(new DataSize(ticket.bytes()), options.arena());
  }

  /** Drops the oldest waiting saves until there is room, or none if that would not do. */
  private boolean makeRoom(Arena pool, Ticket ticket, List<Save> dropped) {
    List<Save> victims = new ArrayList<>();
    long free = pool.available();
    for (Save save : open) {
      if (free >= pool.cost(ticket.bytes())) {
        break;
      }
      if (!save.readers.isEmpty() && save.waiting.containsAll(save.readers)) {
        victims.add(save);
        free += pool.cost(save.bytes());
      }
    }
    if (free < pool.cost(ticket.bytes())) {
      return false;
    }
    for (Save victim : victims) {
      leaveOut(victim, "Step %d took its place.".formatted(ticket.version().step()));
      dropped.add(victim);
    }
    return true;
  }

  /** Takes a save out of all queues of lanes that would read its image. */
  private void leaveOut(Save save, String reason) {
    for (Lane lane : List.copyOf(save.waiting)) {
      if (lane.source == null) {
        lane.queue.remove(save);
        save.ticket.note("%s: %s".formatted(lane.tier.name(), reason));
        giveUp(save, lane);
      }
    }
  }

  /** Notes that a lane, and those that would copy from it, have no more to do with a save. */
  private void giveUp(Save save, Lane lane) {
    if (lane.source == null) {
      save.withdrawn.add(lane.tier.name());
    }
    save.waiting.remove(lane);
    save.left.remove(lane);
    save.release(lane);
    for (Lane other : lanes) {
      if (other.source == lane) {
        giveUp(save, other);
      }
    }
    changed.signalAll();
  }

  private void refuse(Ticket ticket, TicketState state, String reason) {
    ticket.note(reason);
    ticket.become(state);
    ticket.settle();
    count(state);
    for (Lane lane : lanes) {
      if (lane.source == null) {
        withdrawals.add(lane.tier.name(), ticket.version(), reason);
      }
    }
    LOG.log(System.Logger.Level.WARNING, "{0}", ticket);
  }

  private void count(TicketState state) {
    lock.lock();
    try {
      if (state == TicketState.SKIPPED) {
        skipped++;
      } else if (state == TicketState.FAILED) {
        failed++;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Copies into the arena and returns whether that worked; if not, ends the ticket. */
  private boolean copy(Layout layout, Image image, Ticket ticket) {
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
      release(image);
      refuse(ticket, TicketState.FAILED, "The state could not be copied: " + e);
      return false;
    }
  }

  private void accept(
      Ticket ticket, Layout layout, Map<String, String> metadata, Image image, long begin) {
    ShardName name = new ShardName(options.worker(), options.workers());
    ticket.announce();
    Save save = new Save(ticket, name, layout, Map.copyOf(metadata), image, begin);
    boolean late;
    lock.lock();
    try {
      newest = save.ticket;
      lastStep = save.step();
      open.add(save);
      save.left.addAll(lanes);
      for (Lane lane : lanes) {
        if (lane.source == null) {
          save.readers.add(lane);
          save.waiting.add(lane);
          lane.queue.add(save);
        }
      }
      late = phase == Phase.CLOSED;
      if (late) {
        leaveOut(save, "The engine has closed.");
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (late) {
      conclude(save);
    }
  }

  private void noteStall(long begin) {
    Duration stall = Duration.ofNanos(nanoTime.getAsLong() - begin);
    interval.observeStall(stall);
    lock.lock();
    try {
      lastStall = stall;
      totalStall = totalStall.plus(stall);
    } finally {
      lock.unlock();
    }
  }

  /** The life of a lane's thread. */
  private void serve(Lane lane) {
    tryClaim(lane);
    try {
      while (true) {
        Save save;
        boolean tidy;
        lock.lock();
        try {
          while (lane.queue.isEmpty() && !lane.tidy && phase != Phase.CLOSED) {
            changed.await();
          }
          tidy = lane.tidy;
          lane.tidy = false;
          save = lane.queue.poll();
          if (save == null && !tidy) {
            return;
          }
          if (save != null) {
            lane.active = save;
            lane.done = 0;
            save.waiting.remove(lane);
          }
        } finally {
          lock.unlock();
        }
        if (tidy) {
          tidy(lane);
        }
        if (save != null) {
          write(lane, save);
        }
      }
    } catch (InterruptedException e) {
      // the engine has closed
    }
  }

  /** Claims this generation in the tier if it can be reached; else the first write does so. */
  private void tryClaim(Lane lane) {
    try {
      lane.tier.claim(options.job(), options.claim());
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.tier.name(), e.toString());
    }
  }

  /** Brings a save into a tier, trying again where that may help. */
  private void write(Lane lane, Save save) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        attempt(lane, save);
        return;
      } catch (FileAlreadyExistsException e) {
        // an earlier attempt may have got through though its answer did not
        finish(lane, save, isMine(lane, save) ? null : e.toString(), false);
        return;
      } catch (Save.Abandoned e) {
        finish(lane, save, String.valueOf(e.getMessage()), true);
        return;
      } catch (StaleGeneration e) {
        leaveToOthers(lane);
        finish(lane, save, String.valueOf(e.getMessage()), false);
        return;
      } catch (IOException | RuntimeException | Error e) {
        // an error too, such as memory that ran out: the lane has later saves to serve
        if (Thread.currentThread().isInterrupted() || attempt >= options.attempts()) {
          finish(lane, save, e.toString(), false);
          return;
        }
        pause(options.firstPause().toNanos() << Math.min(attempt - 1, 10));
      }
    }
  }

  /** Returns whether what the tier has committed of a save's version is that save. */
  private boolean isMine(Lane lane, Save save) {
    try (CheckpointReader there = lane.tier.read(save.ticket.version())) {
      Manifest manifest = there.manifest();
      return manifest.session().equals(options.claim().owner())
          && manifest.shards().stream().anyMatch(save::isShard);
    } catch (IOException | RuntimeException | Error e) {
      // an error too: without its thread the lane would serve no later save
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.tier.name(), e.toString());
      return false;
    }
  }

  /** Notes that another session has taken over in a tier, and with it what is kept there. */
  private void leaveToOthers(Lane lane) {
    lock.lock();
    try {
      lane.stale = true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits before the next attempt; less when the engine closes meanwhile. */
  private void pause(long nanos) throws InterruptedException {
    lock.lock();
    try {
      retries++;
      long rest = nanos;
      while (rest > 0 && phase == Phase.STARTED) {
        rest = changed.awaitNanos(rest);
      }
    } finally {
      lock.unlock();
    }
  }

  private void attempt(Lane lane, Save save) throws IOException {
    if (lane.source != null) {
      Promotion.copy(save.ticket.version(), options.claim().owner(), lane.source.tier, lane.tier);
      finish(lane, save, null, false);
      return;
    }
    long begin = nanoTime.getAsLong();
    CheckpointWriter writer = lane.tier.write(save.ticket.version(), options.claim().owner());
    boolean pending = false;
    try {
      Shard shard = save.write(writer::shard, bytes -> lane.done = bytes);
      noteSpeed(lane, shard.bytes(), nanoTime.getAsLong() - begin);
      Part part =
          new Part(
              save.ticket.version(),
              options.claim().owner(),
              options.worker(),
              options.workers(),
              save.tensors(),
              shard);
      CompletableFuture<Void> end = assembly.contribute(lane.tier.name(), part, writer::commit);
      if (options.workers() == 1) {
        join(end);
        finish(lane, save, null, false);
      } else {
        pending = true;
        awaitOthers(lane, save, writer, end);
      }
    } finally {
      if (!pending) {
        writer.close();
      }
    }
  }

  private void join(CompletableFuture<Void> end) throws IOException {
    try {
      end.orTimeout(options.commitTimeout().toNanos(), TimeUnit.NANOSECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException(e.getCause());
    }
  }

  /** Lets the lane go on while the other workers' parts are awaited. */
  private void awaitOthers(
      Lane lane, Save save, CheckpointWriter writer, CompletableFuture<Void> end) {
    lock.lock();
    try {
      save.release(lane);
      lane.active = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    CompletableFuture<Void> unused =
        end.orTimeout(options.commitTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (nothing, problem) -> {
                  try {
                    writer.close();
                  } catch (IOException | RuntimeException | Error e) {
                    LOG.log(System.Logger.Level.WARNING, "Closing failed.", e);
                  }
                  finish(lane, save, problem == null ? null : reason(problem), false);
                });
  }

  private String reason(Throwable problem) {
    Throwable cause =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    return cause instanceof TimeoutException
        ? "The other workers' parts did not come within %d s."
            .formatted(options.commitTimeout().toSeconds())
        : String.valueOf(cause.getMessage());
  }

  private void noteSpeed(Lane lane, long bytes, long nanos) {
    lock.lock();
    try {
      lane.bytesPerSecond = bytes * 1e9 / Math.max(1, nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Notes how a lane ended with a save: committed when there is no problem. */
  private void finish(Lane lane, Save save, @Nullable String problem, boolean left) {
    if (problem == null) {
      noteCommit(lane, save);
      save.ticket.committed(lane.tier.level());
    } else {
      save.ticket.note("%s: %s".formatted(lane.tier.name(), problem));
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", save.ticket.version(), problem);
    }
    List<Save> passedOver = new ArrayList<>();
    lock.lock();
    try {
      if (lane.active == save) {
        lane.active = null;
      }
      if (problem == null) {
        for (Lane other : lanes) {
          if (other.source == lane && save.left.contains(other)) {
            passedOver.addAll(passOn(save, other));
          }
        }
        save.left.remove(lane);
        save.release(lane);
      } else {
        save.failed |= !left;
        tierFailures += left ? 0 : 1;
        giveUp(save, lane);
      }
      lane.tidy = options.worker() == 0 && !lane.stale;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    passedOver.forEach(this::conclude);
    conclude(save);
  }

  /** Hands a committed save to an archive; one that is behind gets the newest, not all of them. */
  private List<Save> passOn(Save save, Lane archive) {
    List<Save> older = List.copyOf(archive.queue);
    archive.queue.clear();
    for (Save waiting : older) {
      waiting.ticket.note(
          "%s: Step %d took its place.".formatted(archive.tier.name(), save.step()));
      giveUp(waiting, archive);
    }
    save.waiting.add(archive);
    archive.queue.add(save);
    return older;
  }

  private void noteCommit(Lane lane, Save save) {
    Duration write = Duration.ofNanos(nanoTime.getAsLong() - save.stagedAt);
    if (lane.source == null) {
      interval.observeWrite(write);
    }
    lock.lock();
    try {
      lastWrite = write;
      Long before = durableStep;
      if (lane.tier.level() != Level.REPLICATED && (before == null || before < save.step())) {
        durableStep = save.step();
        durableAt = save.stagedAt;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells the other workers what will not come, and settles the ticket when no lane is left. */
  private void conclude(Save save) {
    boolean missed;
    lock.lock();
    try {
      for (String tier : save.withdrawn) {
        withdrawals.add(tier, save.ticket.version(), String.join(" ", save.ticket.reasons()));
      }
      save.withdrawn.clear();
      if (!save.left.isEmpty() || !open.contains(save)) {
        return;
      }
      open.remove(save);
      missed = save.ticket.state() == TicketState.STAGED;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (missed) {
      TicketState end = save.failed ? TicketState.FAILED : TicketState.SKIPPED;
      save.ticket.become(end);
      count(end);
    }
    save.ticket.settle();
  }

  /**
   * Deletes from a tier what need not be kept, and what this generation and older ones gave up;
   * what fails is tried again after the next save.
   */
  private void tidy(Lane lane) {
    try {
      lane.retainer.retain(options.claim(), version -> mayGo(lane, version));
      Checkpoints.gc(lane.tier, options.job(), options.claim());
    } catch (StaleGeneration e) {
      leaveToOthers(lane);
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.tier.name(), e.toString());
    }
  }

  /**
   * Whether a lane may delete a version. A place in memory is ahead of the disks, and behind it may
   * be one: what was last durable there must not go for newer ones that die with the memory.
   */
  private boolean mayGo(Lane lane, Version version) {
    if (lane.tier.level() != Level.REPLICATED
        || lanes.stream().allMatch(other -> other.tier.level() == Level.REPLICATED)) {
      return true;
    }
    lock.lock();
    try {
      Long durable = durableStep;
      return durable != null
          && version.compareTo(new Version(options.job(), options.generation(), durable)) < 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether now is a good time to save: the first time, and then as often as costs least,
   * but not while the last save would have to be dropped for it.
   */
  public boolean shouldSave(long step) {
    long now = nanoTime.getAsLong();
    long best = interval.best().toNanos();
    lock.lock();
    try {
      if (askedStep >= 0 && step > askedStep) {
        stepNanos = (now - askedAt) / (double) (step - askedStep);
      }
      askedStep = step;
      askedAt = now;
      Arena pool = arena;
      if (pool == null || phase != Phase.STARTED) {
        return false;
      }
      if (lastStep == null) {
        return saves == 0 || now - lastSaveAt >= best;
      }
      boolean room = pool.available() >= pool.cost(lastBytes);
      // the nearer of this step's end and the next one's
      return (room || options.behind() == Behind.BLOCK) && now - lastSaveAt + stepNanos / 2 >= best;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Prepares for the loss of this node: the newest save goes before all others, and those that
   * would keep it from arriving in time are given up.
   *
   * @param lead the time until the node is lost; returns by then, or as soon as the state is safe
   */
  public NoticeOutcome notice(Duration lead) throws InterruptedException {
    List<Save> left = new ArrayList<>();
    Ticket ticket;
    lock.lock();
    try {
      ticket = newest;
      Save last = null;
      for (Save save : open) {
        last = save.ticket == ticket ? save : last;
      }
      if (last != null) {
        for (Save save : List.copyOf(open)) {
          if (save != last && !save.waiting.isEmpty()) {
            leaveOut(save, "A revocation is near; step %d goes first.".formatted(last.step()));
            left.add(save);
          }
        }
        for (Lane lane : lanes) {
          abandonIfLate(lane, last, lead);
        }
      }
    } finally {
      lock.unlock();
    }
    left.forEach(this::conclude);
    return new NoticeOutcome(ticket, ticket != null && ticket.await(Level.REPLICATED, lead));
  }

  /** Gives up the write in progress if only without it the newest save arrives in time. */
  private static void abandonIfLate(Lane lane, Save last, Duration lead) {
    Save active = lane.active;
    if (active == null || active == last || !last.waiting.contains(lane)) {
      return;
    }
    double able = lane.bytesPerSecond * lead.toNanos() / 1e9;
    double rest = Math.max(0, active.bytes() - lane.done);
    if (last.bytes() <= able && last.bytes() + rest > able) {
      active.abandon("A revocation is near; step %d goes first.".formatted(last.step()));
    }
  }

  /** Returns how things stand. */
  public Metrics metrics() {
    lock.lock();
    try {
      Arena pool = arena;
      Long staged = lastStep;
      Long durable = durableStep;
      return new Metrics(
          saves,
          skipped,
          failed,
          tierFailures,
          retries,
          lastStall,
          totalStall,
          lastWrite,
          pool == null ? 0 : pool.capacity() - pool.available(),
          staged,
          durable,
          staged == null || durable == null ? 0 : Math.max(0, staged - durable),
          durable == null ? null : Duration.ofNanos(nanoTime.getAsLong() - durableAt));
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more saves, finishes those begun until the deadline, and says what is safe. */
  public ClosingReport close(Duration deadline) throws InterruptedException {
    List<Save> unfinished;
    lock.lock();
    try {
      if (phase == Phase.STARTED) {
        phase = Phase.CLOSING;
        changed.signalAll();
        long rest = deadline.toNanos();
        while (!open.isEmpty() && rest > 0) {
          rest = changed.awaitNanos(rest);
        }
      }
      phase = Phase.CLOSED;
      unfinished = List.copyOf(open);
      lanes.forEach(lane -> lane.queue.clear());
      for (Save save : unfinished) {
        save.abandon("The engine has closed.");
        leaveOut(save, "The engine has closed.");
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    stop(!unfinished.isEmpty());
    abort(unfinished);
    withdrawals.close(LAST_WORDS);
    return new ClosingReport(
        metrics().lastDurableStep(), unfinished.stream().map(save -> save.ticket).toList());
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

  /** Ends the tickets that no thread will end any more. */
  private void abort(List<Save> unfinished) {
    for (Save save : unfinished) {
      lock.lock();
      try {
        for (Lane lane : List.copyOf(save.left)) {
          save.failed = true;
          save.ticket.note("%s: The engine has closed.".formatted(lane.tier.name()));
          // the image stays: a thread that hangs may still read it
          save.left.remove(lane);
          save.withdrawn.add(lane.tier.name());
        }
      } finally {
        lock.unlock();
      }
      conclude(save);
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
