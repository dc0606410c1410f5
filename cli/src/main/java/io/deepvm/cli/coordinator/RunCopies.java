package io.deepvm.cli.coordinator;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Retainer;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies the log of a run to its store while a coordinator works. The copies carry the claim of
 * this coordinator's folder. Another folder that claims the run later ends this coordinator.
 */
public final class RunCopies implements AutoCloseable {

  /** After an event that matters. */
  private static final long SOON_MS = 1_000;

  /** After progress alone; also how often the claim is checked. */
  private static final long CALM_MS = 15_000;

  /** A large log is copied more rarely: at this rate at most. */
  private static final long BYTES_PER_MS = 100;

  private final @Nullable Stored stored;
  private final Terminal terminal;
  private final Object copying = new Object();
  private @Nullable Consumer<BadInput> leave;
  private @Nullable BadInput taken;
  private boolean matters;
  private boolean closed;
  private boolean complained;

  /** What a run with a store needs. */
  private record Stored(StoredRun run, Claim claim, Tier tier, RunFiles files) {}

  private RunCopies(@Nullable Stored stored, Terminal terminal) {
    this.stored = stored;
    this.terminal = terminal;
  }

  /**
   * Claims the run of the folder in its store, if it has one.
   *
   * @throws BadInput if another folder has claimed it, or the store has another run of its name
   */
  public static RunCopies open(Path folder, Terminal terminal) throws IOException {
    StoredRun run = StoredRun.read(folder);
    if (run == null) {
      return new RunCopies(null, terminal);
    }
    Tier tier = run.open();
    try {
      Claim claim = run.claim() == null ? firstClaim(run, tier) : Claim.parse(run.claim());
      // What is in the folder comes first, so a claim is never lost.
      run.with(claim).write(folder);
      tier.claim(run.log(), claim);
      RunCopies copies =
          new RunCopies(new Stored(run, claim, tier, new RunFiles(folder)), terminal);
      Thread thread = new Thread(copies::work, "run-copies");
      thread.setDaemon(true);
      thread.start();
      return copies;
    } catch (StaleGeneration e) {
      tier.close();
      throw takenOver(run);
    } catch (IOException e) {
      tier.close();
      throw new BadInput(
          "The store %s cannot be used: %s.".formatted(run.store(), e.getMessage()),
          "Maybe check the address and your rights there.");
    } catch (RuntimeException e) {
      tier.close();
      throw e;
    }
  }

  private static Claim firstClaim(StoredRun run, Tier tier) throws IOException {
    StoredFiles.Content before = new StoredFiles(tier, run.log()).newest();
    if (before != null && !RunFiles.isOver(before.files())) {
      throw new BadInput(
          "%s has a run called %s that is not over.".formatted(run.store(), run.name()),
          "Maybe go on with it (--resume --from-store), or name another --folder.");
    }
    return Claim.of(tier.generation(run.log()) + 1);
  }

  private static BadInput takenOver(StoredRun run) {
    return new BadInput(
        "Another coordinator has taken the run %s over from %s.".formatted(run.name(), run.store()),
        "Maybe look for it there: this folder's run is history.");
  }

  /** Returns a listener that passes everything on, and has the log copied. */
  public RunListener with(RunListener listener) {
    return stored == null ? listener : new Copying(listener);
  }

  /** Says how this coordinator leaves the run to another one. */
  public void guard(Consumer<BadInput> how) {
    BadInput why;
    synchronized (this) {
      leave = how;
      why = taken;
    }
    if (why != null) {
      how.accept(why);
    }
  }

  private final class Copying implements RunListener {
    private final RunListener next;

    Copying(RunListener next) {
      this.next = next;
    }

    @Override
    public LogRanks logs() {
      return next.logs();
    }

    @Override
    public void printed(String node, PrintedLines lines) {
      next.printed(node, lines);
    }

    @Override
    public void accept(Logged logged) {
      next.accept(logged);
      Event event = logged.event();
      if (event instanceof Event.Started || event instanceof Event.Resumed) {
        // The next coordinator counts this one, and agents obey the highest count.
        copyNow();
      } else if (event instanceof Event.Generation) {
        // Agents must not receive a number that the next coordinator would give again.
        tryCopy();
      } else if (!(event instanceof Event.Progress || event instanceof Event.Alive)) {
        changed();
      }
    }
  }

  private synchronized void changed() {
    matters = true;
    notifyAll();
  }

  private void copyNow() {
    try {
      copy();
    } catch (StaleGeneration e) {
      throw takenOver(stored().run());
    } catch (IOException e) {
      throw new UncheckedIOException("The log cannot be copied to the store.", e);
    }
  }

  private void tryCopy() {
    try {
      copy();
    } catch (StaleGeneration e) {
      end(takenOver(stored().run()));
    } catch (IOException | RuntimeException e) {
      complain(e);
    }
  }

  private Stored stored() {
    if (stored == null) {
      throw new IllegalStateException("The run has no store.");
    }
    return stored;
  }

  private void work() {
    try {
      while (awaitWork()) {
        try {
          copy();
          complained = false;
          Thread.sleep(SOON_MS);
        } catch (StaleGeneration e) {
          end(takenOver(stored().run()));
          return;
        } catch (IOException | RuntimeException e) {
          complain(e);
          Thread.sleep(CALM_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the log should be copied; false once this is closed. */
  private synchronized boolean awaitWork() throws InterruptedException {
    long calm = Math.max(CALM_MS, stored().files().logBytes() / BYTES_PER_MS);
    long start = System.nanoTime();
    for (long left = calm; left > 0 && !closed && !matters; ) {
      wait(left);
      left = calm - (System.nanoTime() - start) / 1_000_000;
    }
    matters = false;
    return !closed;
  }

  private void end(BadInput why) {
    Consumer<BadInput> how;
    synchronized (this) {
      taken = why;
      how = leave;
    }
    if (how != null) {
      how.accept(why);
    }
  }

  private void complain(Exception why) {
    if (!complained) {
      terminal
          .err()
          .println(
              "The log cannot be copied to %s now; the run goes on: %s"
                  .formatted(stored().run().store(), why.getMessage()));
      terminal.err().flush();
    }
    complained = true;
  }

  /** Copies the log unless the store has it, and in any case checks the claim. */
  private void copy() throws IOException {
    // The coordinator's thread must not wait for the store when it reports an event.
    synchronized (copying) {
      Stored now = stored();
      if (now.files().logBytes() > 0) {
        copy(now);
      }
    }
  }

  private static void copy(Stored now) throws IOException {
    now.tier().claim(now.run().log(), now.claim());
    long generation = now.claim().generation();
    StoredFiles constants = new StoredFiles(now.tier(), now.run().constants());
    if (now.files().constantsOf() == 0) {
      Version first = new Version(constants.name(), generation, 0);
      try {
        constants.write(first, now.claim().owner(), now.files().constants());
      } catch (FileAlreadyExistsException e) {
        // A coordinator that died after it had saved them.
      }
      now.files().keepConstantsOf(generation);
    }
    StoredFiles log = new StoredFiles(now.tier(), now.run().log());
    Version version = new Version(log.name(), generation, now.files().logBytes());
    try {
      log.write(version, now.claim().owner(), now.files().changing());
    } catch (FileAlreadyExistsException e) {
      // Nothing has happened since.
      return;
    }
    var unused =
        new Retainer(now.tier(), log.name(), Retention.DEFAULT).retain(now.claim(), v -> true);
  }

  /** Copies the log once more, and lets the store go. */
  @Override
  public void close() throws IOException {
    if (stored == null) {
      return;
    }
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      if (taken == null) {
        copy();
      }
    } catch (IOException | RuntimeException e) {
      complain(e);
    } finally {
      stored.tier().close();
    }
  }
}
