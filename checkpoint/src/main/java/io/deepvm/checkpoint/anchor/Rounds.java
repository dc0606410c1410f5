package io.deepvm.checkpoint.anchor;

import io.deepvm.base.DaemonThreads;
import io.deepvm.base.Watchdog;
import io.deepvm.checkpoint.LocalAssembly;
import io.deepvm.checkpoint.WorkerPart;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Name;
import io.deepvm.transport.Transfer;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Where the workers of a job meet, at an anchor: when every part is there, the worker whose part
 * came last is sent the manifest and commits; then all receive the outcome.
 */
final class Rounds implements AutoCloseable {

  private static final int THREADS = 8;
  private static final int REMEMBERED = 1_000;

  /** How often it is looked for rounds that last too long. */
  private static final Duration LOOK = Duration.ofMinutes(1);

  private final LocalAssembly assembly;
  private final OpenRounds open;
  private final Duration patience;
  private final ThreadPoolExecutor threads;
  private final ScheduledExecutorService timer;

  /** How rounds ended: the reason, empty when committed; for workers that ask again. */
  private final Map<OpenRounds.Key, String> ended =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<OpenRounds.Key, String> eldest) {
          return size() > REMEMBERED;
        }
      };

  Rounds(Duration patience) {
    this(patience, OpenRounds.Bounds.USUAL, InstantSource.system());
  }

  Rounds(Duration patience, OpenRounds.Bounds bounds, InstantSource clock) {
    this.patience = patience;
    open = new OpenRounds(bounds, clock);
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("deepvm-anchor-rounds"));
    threads.allowCoreThreadTimeOut(true);
    assembly = new LocalAssembly(clock, threads);
    timer =
        Executors.newSingleThreadScheduledExecutor(
            DaemonThreads.named("deepvm-anchor-rounds-timer"));
    new Watchdog("deepvm-anchor-rounds", this::dropOverdue).every(LOOK, timer);
  }

  /**
   * Takes the part of a worker that is reached over this connection.
   *
   * @param bytes what the part takes of the heap, about
   */
  void contribute(Connection worker, String tier, WorkerPart part, long bytes) throws IOException {
    OpenRounds.Key key = new OpenRounds.Key(tier, part.version());
    String known;
    synchronized (ended) {
      known = ended.get(key);
    }
    if (known != null) {
      tell(worker, tier, part, known);
      return;
    }
    open.add(key, bytes);
    makeRoom(part.version());
    if (open.isTooMuch()) {
      open.remove(key, bytes);
      throw new IOException("Too many versions are being committed; it may be tried again.");
    }
    var unused =
        assembly
            .contribute(tier, part, manifest -> commit(worker, key, part, manifest))
            .whenComplete(
                (nothing, problem) -> {
                  open.remove(key, bytes);
                  end(worker, tier, part, problem);
                });
  }

  /** Drops what nobody waits for any more, and if need be the oldest rounds. */
  private void makeRoom(Version coming) {
    open.outdatedBy(coming)
        .forEach(key -> drop(key, "Generation %d has begun.".formatted(coming.generation())));
    dropOverdue();
    for (OpenRounds.Key oldest : open.oldestFirst()) {
      if (!open.isTooMuch()) {
        return;
      }
      drop(oldest, "The anchor has no room for this many unfinished versions.");
    }
  }

  /** Drops the rounds of which some part should have come long ago. */
  void dropOverdue() {
    open.overdue().forEach(key -> drop(key, "Some parts did not come in time."));
  }

  private void drop(OpenRounds.Key key, String reason) {
    assembly.drop(key.tier(), key.version(), reason);
  }

  private static void end(
      Connection worker, String tier, WorkerPart part, @Nullable Throwable problem) {
    tell(worker, tier, part, problem == null ? "" : String.valueOf(problem.getMessage()));
  }

  private void remember(OpenRounds.Key key, String reason) {
    synchronized (ended) {
      ended.put(key, reason);
    }
  }

  private void commit(Connection worker, OpenRounds.Key key, WorkerPart part, Manifest manifest)
      throws IOException {
    try {
      commit(worker, key.tier(), part, manifest);
      remember(key, "");
    } catch (IOException | RuntimeException e) {
      remember(key, String.valueOf(e.getMessage()));
      throw e;
    }
  }

  /** Has a worker commit, and waits for its word. */
  private void commit(Connection worker, String tier, WorkerPart part, Manifest manifest)
      throws IOException {
    Question question =
        Question.about(Verb.ASSEMBLED, Level.REPLICATED, 0, part.version())
            .withText(tier)
            .withNumber(part.worker());
    byte[] bytes = manifest.toBytes();
    Transfer transfer =
        worker.send(
            new TransferHeader(UUID.randomUUID(), Name.NONE, 0, question.name(), bytes.length),
            ByteBuffer.wrap(bytes));
    try {
      TransferOutcome outcome = transfer.await(patience);
      if (!outcome.delivered()) {
        throw new IOException(
            "Worker %d did not commit: %s".formatted(part.worker(), outcome.reason()));
      }
    } catch (TimeoutException e) {
      transfer.cancel("The commit takes too long.");
      throw new IOException(
          "Worker %d did not commit within %d s.".formatted(part.worker(), patience.toSeconds()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The anchor has closed.", e);
    }
  }

  private static void tell(Connection worker, String tier, WorkerPart part, String reason) {
    Question word =
        Question.about(Verb.ENDED, Level.REPLICATED, 0, part.version())
            .withText(tier)
            .withNumber(part.worker())
            .withReason(reason);
    // without an answer the connection has ended, and the worker asks again by itself
    var unused = worker.request(word.encode());
  }

  void withdraw(String tier, Version version, int worker, String reason) {
    assembly.withdraw(tier, version, worker, reason);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    threads.shutdownNow();
  }
}
