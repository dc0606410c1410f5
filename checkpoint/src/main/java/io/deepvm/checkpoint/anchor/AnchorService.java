package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Promotion;
import io.deepvm.checkpoint.Retainer;
import io.deepvm.checkpoint.anchor.AnchorFigures.Backlog;
import io.deepvm.checkpoint.anchor.AnchorFigures.Kept;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Fence;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Generations;
import io.deepvm.transport.Name;
import io.deepvm.transport.Role;
import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.TransportServer;
import io.deepvm.transport.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A service that keeps the checkpoints of workers on a machine that outlives them: in memory within
 * a budget, on its disk soon after, in an archive when there is one. It runs in a process of its
 * own, and neither it nor the workers need the other to live.
 */
public final class AnchorService implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final long MOST_AUDIT = 16 << 20;
  private static final Duration LEAVE = Duration.ofSeconds(5);

  /** A job that has saved nothing for this long is forgotten. */
  private static final Duration IDLE = Duration.ofDays(7);

  private static final System.Logger LOG = System.getLogger(AnchorService.class.getName());

  private final AnchorOptions options;
  private final DiskLock lock;
  private final DirectoryTier disk;
  private final MemoryTier memory;
  private final FrontTier front;
  private final Generations generations;
  private final Rounds rounds;
  private final Upkeep flusher;
  private final Upkeep uploader;
  private final TransportServer server;

  /** Makes an anchor and allocates its memory; {@link #start} opens it. */
  public AnchorService(AnchorOptions options) throws IOException {
    this.options = options;
    lock = DiskLock.take(options.disk());
    boolean made = false;
    try {
      disk =
          new DirectoryTier(
              "disk", Level.DURABLE, options.disk().resolve("versions"), options.faults());
      Path spill = options.disk().resolve("spill");
      // what did not fit into the memory of an earlier process is of no use without that memory
      deleteAll(spill);
      memory =
          new MemoryTier(
              "memory",
              Level.REPLICATED,
              options.memory(),
              new DirectoryTier("spill", Level.REPLICATED, spill));
      front = new FrontTier(memory, disk);
      rounds = new Rounds(options.timeouts().commit());
      uploader = new Upkeep("deepvm-anchor-upload", PAUSE, v -> has(front, v), this::upload);
      flusher = new Upkeep("deepvm-anchor-flush", PAUSE, v -> has(memory, v), this::flush);
      generations = new Generations(this::onDisk);
      TransportOptions transport =
          TransportOptions.usual()
              .withTimeouts(options.timeouts())
              .withLimits(options.limits())
              .withGenerations(generations)
              .withSecurity(options.security().as(Role.ANCHOR));
      server =
          new TransportServer(
              options.listen(),
              new AnchorHandler(
                  tiers(),
                  disk,
                  rounds,
                  this::claim,
                  new Events(),
                  new AuditLog(options.disk().resolve("audit.log"), Clock.systemUTC(), MOST_AUDIT)),
              transport);
      made = true;
    } finally {
      if (!made) {
        lock.undo();
      }
    }
  }

  /** Returns the newest generation of a job that the disk knows, -1 if it knows none. */
  private long onDisk(Name job) {
    try {
      return disk.fence(job.text()).generation();
    } catch (IOException | BadInput e) {
      return -1;
    }
  }

  private Map<Level, Tier> tiers() {
    Map<Level, Tier> tiers = new EnumMap<>(Level.class);
    tiers.put(Level.REPLICATED, front);
    tiers.put(Level.DURABLE, disk);
    Tier archive = options.archive();
    if (archive != null) {
      tiers.put(Level.ARCHIVED, archive);
    }
    return tiers;
  }

  /** Raises the fences that are on the disk again, then listens. */
  public void start() throws IOException {
    for (String job : disk.jobs()) {
      try {
        raise(job);
      } catch (IOException | RuntimeException e) {
        // the others are worth no less for it
        LOG.log(System.Logger.Level.WARNING, "The job {0} is passed over: {1}", job, e.toString());
      }
    }
    flusher.start();
    uploader.start();
    server.start();
  }

  private void raise(String job) throws IOException {
    disk.forget(job, Instant.now().minus(IDLE));
    Fence fence = disk.fence(job);
    memory.raise(job, fence);
    generations.raise(Name.of(job), fence.generation());
    for (Holding holding : disk.list(job)) {
      if (holding.condition() == Holding.Condition.COMMITTED) {
        offerUpload(holding.version());
      }
    }
  }

  /** Returns the address it listens on. */
  public InetSocketAddress address() throws IOException {
    return server.address();
  }

  /** Returns how much of the memory is taken. */
  public long usedBytes() {
    return memory.usedBytes();
  }

  /** Returns how it is doing; looks at the disk. */
  public AnchorFigures figures() throws IOException {
    int inMemory = 0;
    int onDisk = 0;
    long diskBytes = 0;
    for (String job : disk.jobs()) {
      inMemory += memory.list(job).size();
      for (Holding holding : disk.list(job)) {
        onDisk++;
        diskBytes += holding.bytes();
      }
    }
    Usage usage = server.usage();
    return new AnchorFigures(
        new Kept(inMemory, memory.usedBytes()),
        new Kept(onDisk, diskBytes),
        new Backlog(flusher.behind(), flusher.failures()),
        new Backlog(uploader.behind(), uploader.failures()),
        usage.connections(),
        usage.refused());
  }

  private boolean claim(String job, Claim claim) throws IOException {
    boolean fresh = !memory.isHeldBy(job, claim);
    front.claim(job, claim);
    generations.raise(Name.of(job), claim.generation());
    return fresh;
  }

  /** Keeps flush and upload up with what workers do. */
  private final class Events implements AnchorHandler.Versions {

    @Override
    public void committed(Level level, Version version) {
      if (level == Level.REPLICATED) {
        flusher.offer(version);
      } else if (level == Level.DURABLE) {
        offerUpload(version);
      }
    }

    @Override
    public void deleting(Version version) throws IOException {
      try {
        // a version that is being flushed would count as in use
        flusher.leave(version, LEAVE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("The anchor has closed.", e);
      }
    }

    @Override
    public void deletionEnded(Version version) {
      offerNewest(version.job());
    }
  }

  /**
   * Has the newest version in memory flushed if the disk has neither it nor a newer one. A deletion
   * takes a version out of the flush, though it may stay in memory, and may have taken one for
   * which an older one was passed over.
   */
  private void offerNewest(String job) {
    Version newest = newest(memory.list(job));
    if (newest != null && !isOnDisk(newest)) {
      flusher.offer(newest);
    }
  }

  /** Whether the disk has a version or a newer one. */
  private boolean isOnDisk(Version version) {
    try {
      Version newest = newest(disk.list(version.job()));
      return newest != null && newest.compareTo(version) >= 0;
    } catch (IOException e) {
      // the flush will see what the disk has
      return false;
    }
  }

  private static @Nullable Version newest(List<Holding> holdings) {
    return committed(holdings).max(Comparator.naturalOrder()).orElse(null);
  }

  private static boolean has(Tier tier, Version version) throws IOException {
    return committed(tier.list(version.job())).anyMatch(version::equals);
  }

  private static Stream<Version> committed(List<Holding> holdings) {
    return holdings.stream()
        .filter(holding -> holding.condition() == Holding.Condition.COMMITTED)
        .map(Holding::version);
  }

  private void flush(Version version) throws IOException {
    if (!has(memory, version)) {
      // it was deleted while it waited, and an older one may have been passed over for it
      offerNewest(version.job());
      return;
    }
    // the memory took it under its fence: a generation announced since must not cost the only copy
    Promotion.share(version, memory, disk::writeAccepted, true);
    offerUpload(version);
  }

  private void offerUpload(Version version) {
    if (options.archive() != null) {
      uploader.offer(version);
    }
  }

  private void upload(Version version) throws IOException {
    Tier archive = options.archive();
    if (archive == null) {
      return;
    }
    Claim claim = claimOf(version);
    if (Promotion.share(version, front, v -> archive.write(v, claim.owner()), false)) {
      new Retainer(archive, version.job(), options.retention()).retain(claim, v -> true);
      for (Holding holding : archive.list(version.job())) {
        if (holding.condition() == Holding.Condition.UNCOMMITTED
            && holding.version().compareTo(version) < 0) {
          archive.delete(holding.version(), claim);
        }
      }
    }
  }

  /** Returns the claim of the session that saved a version. */
  private Claim claimOf(Version version) throws IOException {
    try (CheckpointReader reader = front.read(version)) {
      return new Claim(version.generation(), reader.manifest().session());
    }
  }

  /**
   * Waits until all that is committed is on the disk and in the archive; false while something
   * could not be brought there.
   */
  public boolean awaitIdle(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    return flusher.awaitIdle(atMost)
        && uploader.awaitIdle(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
  }

  /** Takes no more, brings what it holds to disk and archive until the deadline, and ends. */
  public boolean close(Duration deadline) throws InterruptedException {
    server.close();
    boolean idle = awaitIdle(deadline);
    close();
    return idle;
  }

  /** Ends at once. */
  @Override
  public void close() {
    server.close();
    rounds.close();
    flusher.close();
    uploader.close();
    try {
      front.close();
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteAll(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    if (!Files.isDirectory(folder)) {
      throw new BadInput(
          "%s is not a folder.".formatted(folder), "Maybe give the anchor a folder of its own.");
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path done, @Nullable IOException problem)
              throws IOException {
            if (problem != null) {
              throw problem;
            }
            Files.delete(done);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
