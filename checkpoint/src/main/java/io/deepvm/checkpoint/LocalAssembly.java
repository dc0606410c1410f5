package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The meeting place of workers in one process, or within a service that speaks for them. */
public final class LocalAssembly implements Assembly {

  private record Key(String tier, Version version) {}

  private record Contribution(Part part, CompletableFuture<Void> end) {}

  private final InstantSource clock;
  private final Map<Key, Map<Integer, Contribution>> rounds = new HashMap<>();

  /** The clock gives the manifests their date. */
  public LocalAssembly(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Void> contribute(String tier, Part part, Commit commit) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    List<Contribution> all = add(new Key(tier, part.version()), new Contribution(part, end));
    if (all != null) {
      // outside the lock: a commit waits for the disk
      Throwable problem = commit(all, commit);
      for (Contribution contribution : all) {
        if (problem == null) {
          contribution.end.complete(null);
        } else {
          contribution.end.completeExceptionally(problem);
        }
      }
    }
    return end;
  }

  /** Returns all contributions if this was the last one, else null. */
  private synchronized @Nullable List<Contribution> add(Key key, Contribution contribution) {
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
      Manifest manifest = Part.join(all.stream().map(Contribution::part).toList(), clock.instant());
      commit.run(manifest);
      return null;
    } catch (IOException | RuntimeException e) {
      return e;
    }
  }

  @Override
  public void withdraw(Version version, int worker, String reason) {
    List<Contribution> waiting = new ArrayList<>();
    synchronized (this) {
      for (Key key : List.copyOf(rounds.keySet())) {
        if (key.version.equals(version)) {
          Map<Integer, Contribution> round = rounds.remove(key);
          if (round != null) {
            waiting.addAll(round.values());
          }
        }
      }
    }
    IOException problem =
        new IOException("Worker %d has no part of %s: %s".formatted(worker, version, reason));
    waiting.forEach(contribution -> contribution.end.completeExceptionally(problem));
  }
}
