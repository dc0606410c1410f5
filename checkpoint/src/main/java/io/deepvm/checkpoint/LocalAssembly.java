package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The meeting place of workers in one process, or within a service that speaks for them. */
public final class LocalAssembly implements Assembly {

  private record Key(String tier, Version version) {}

  private record Contribution(WorkerPart part, CompletableFuture<Void> end) {}

  /** How many rounds that cannot succeed are remembered for workers that come later. */
  private static final int REMEMBERED = 1_000;

  private final InstantSource clock;
  private final Executor committing;
  private final Map<Key, Map<Integer, Contribution>> rounds = new HashMap<>();
  private final Map<Key, IOException> withdrawn =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, IOException> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** The clock gives the manifests their date; the worker with the last part commits. */
  public LocalAssembly(InstantSource clock) {
    this(clock, Runnable::run);
  }

  /** Commits elsewhere, so that handing in a part does not wait. */
  public LocalAssembly(InstantSource clock, Executor committing) {
    this.clock = clock;
    this.committing = committing;
  }

  @Override
  public CompletableFuture<Void> contribute(String tier, WorkerPart part, Commit commit) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    List<Contribution> all = add(new Key(tier, part.version()), new Contribution(part, end));
    if (all != null) {
      // outside the lock: a commit waits for the disk
      committing.execute(() -> finish(all, commit));
    }
    return end;
  }

  private void finish(List<Contribution> all, Commit commit) {
    Throwable problem = commit(all, commit);
    for (Contribution contribution : all) {
      if (problem == null) {
        contribution.end.complete(null);
      } else {
        contribution.end.completeExceptionally(problem);
      }
    }
  }

  /** Returns all contributions if this was the last one, else null. */
  private synchronized @Nullable List<Contribution> add(Key key, Contribution contribution) {
    IOException problem = withdrawn.get(key);
    if (problem != null) {
      contribution.end.completeExceptionally(problem);
      return null;
    }
    Map<Integer, Contribution> round = rounds.computeIfAbsent(key, k -> new TreeMap<>());
    Contribution earlier = round.put(contribution.part.worker(), contribution);
    if (earlier != null) {
      earlier.end.completeExceptionally(new IOException("The worker has handed in a later part."));
    }
    if (round.size() < contribution.part.workers()) {
      return null;
    }
    rounds.remove(key);
    return List.copyOf(round.values());
  }

  private @Nullable Throwable commit(List<Contribution> all, Commit commit) {
    try {
      Manifest manifest =
          WorkerPart.join(all.stream().map(Contribution::part).toList(), clock.instant());
      commit.run(manifest);
      return null;
    } catch (IOException | RuntimeException | Error e) {
      return e;
    }
  }

  @Override
  public void withdraw(String tier, Version version, int worker, String reason) {
    Key key = new Key(tier, version);
    IOException problem =
        new IOException("Worker %d has no part of %s: %s".formatted(worker, version, reason));
    Map<Integer, Contribution> round;
    synchronized (this) {
      withdrawn.put(key, problem);
      round = rounds.remove(key);
    }
    fail(round, problem);
  }

  /** Ends a round that still waits for parts, if there is one; those that come later fail too. */
  public void drop(String tier, Version version, String reason) {
    Key key = new Key(tier, version);
    IOException problem = new IOException("%s was given up: %s".formatted(version, reason));
    Map<Integer, Contribution> round;
    synchronized (this) {
      round = rounds.remove(key);
      if (round != null) {
        withdrawn.put(key, problem);
      }
    }
    fail(round, problem);
  }

  private static void fail(@Nullable Map<Integer, Contribution> round, IOException problem) {
    if (round != null) {
      round.values().forEach(contribution -> contribution.end.completeExceptionally(problem));
    }
  }
}
