package io.deepvm.checkpoint.agent;

import io.deepvm.base.DaemonThreads;
import io.deepvm.checkpoint.Assembly;
import io.deepvm.checkpoint.ClosingReport;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one generation that save through this agent: one, or one for each rank here. When
 * a rank has gone, the saves that still wait for its part are given up.
 */
final class SessionGroup {

  /** Older saves are committed or given up long ago. */
  private static final int MOST_STEPS = 1_000;

  /** A client that may save. */
  private record Present(ClientSession session, ClientConversation conversation) {}

  private final Claim claim;
  private final int workers;
  private final Assembly assembly;
  private final List<Tier> tiers;
  private final Map<Integer, Present> present = new TreeMap<>();

  /** The ranks that have staged each step, and those of them that were here and have gone. */
  private final TreeMap<Version, Set<Integer>> staged = new TreeMap<>();

  private final Set<Integer> gone = new HashSet<>();

  SessionGroup(Claim claim, int workers, Assembly assembly, List<Tier> tiers) {
    this.claim = claim;
    this.workers = workers;
    this.assembly = assembly;
    this.tiers = tiers;
  }

  Claim claim() {
    return claim;
  }

  Assembly assembly() {
    return assembly;
  }

  /** Returns whether a client belongs to these sessions. */
  boolean takes(Joining joining) {
    return !joining.isAlone() && claim.equals(joining.claim()) && workers == joining.workers();
  }

  synchronized void add(int worker, ClientSession session, ClientConversation conversation) {
    present.put(worker, new Present(session, conversation));
    gone.remove(worker);
  }

  /** Returns whether ranks may join that are not here yet. */
  boolean isShared() {
    return workers > 1;
  }

  synchronized boolean isEmpty() {
    return present.isEmpty();
  }

  /** Notes that a rank has staged a save, which must not wait for ranks that have gone. */
  void staged(int worker, Ticket ticket) {
    if (workers == 1) {
      return;
    }
    Set<Integer> missing;
    synchronized (this) {
      staged.computeIfAbsent(ticket.version(), version -> new HashSet<>()).add(worker);
      if (staged.size() > MOST_STEPS) {
        staged.pollFirstEntry();
      }
      missing = Set.copyOf(gone);
    }
    missing.forEach(rank -> withdraw(ticket.version(), rank));
  }

  /** Ends the session of a rank, if it is this one or none is named. */
  @Nullable ClosingReport end(int worker, @Nullable ClientSession session, Duration drain)
      throws IOException, InterruptedException {
    Present ended;
    List<Version> waiting = new ArrayList<>();
    synchronized (this) {
      ended = present.get(worker);
      if (ended == null || (session != null && ended.session != session)) {
        return null;
      }
      present.remove(worker);
    }
    ended.conversation.end(CheckpointService.LAST_WORDS);
    synchronized (this) {
      // only now: its last words may have staged something
      gone.add(worker);
      staged.forEach(
          (version, ranks) -> {
            if (!ranks.contains(worker)) {
              waiting.add(version);
            }
          });
    }
    waiting.forEach(version -> withdraw(version, worker));
    return ended.session.end(drain);
  }

  private void withdraw(Version version, int worker) {
    for (Tier tier : tiers) {
      assembly.withdraw(tier.name(), version, worker, "The rank has gone.");
    }
  }

  /** Ends all sessions at the same time; returns what is safe, null if there was none. */
  @Nullable ClosingReport endAll(Duration drain) throws IOException, InterruptedException {
    List<Integer> ranks;
    synchronized (this) {
      ranks = List.copyOf(present.keySet());
    }
    if (ranks.size() == 1) {
      return end(ranks.get(0), null, drain);
    }
    List<CompletableFuture<@Nullable ClosingReport>> ends = new ArrayList<>();
    for (int rank : ranks) {
      ends.add(CompletableFuture.supplyAsync(() -> endOne(rank, drain), SessionGroup::begin));
    }
    ClosingReport all = null;
    for (CompletableFuture<@Nullable ClosingReport> end : ends) {
      all = together(all, joined(end));
    }
    return all;
  }

  private static void begin(Runnable task) {
    DaemonThreads.of("deepvm-agent-end-rank", task).start();
  }

  private @Nullable ClosingReport endOne(int rank, Duration drain) {
    try {
      return end(rank, null, drain);
    } catch (IOException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private static @Nullable ClosingReport joined(CompletableFuture<@Nullable ClosingReport> end)
      throws IOException {
    try {
      return end.join();
    } catch (CompletionException e) {
      throw new IOException("A session did not end well: " + e.getCause(), e);
    }
  }

  /** Returns what is safe of both: the older step, and all that is unfinished. */
  private static @Nullable ClosingReport together(
      @Nullable ClosingReport a, @Nullable ClosingReport b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    List<Ticket> unfinished = new ArrayList<>(a.unfinished());
    unfinished.addAll(b.unfinished());
    Long first = a.lastDurableStep();
    Long second = b.lastDurableStep();
    Long safe = first == null || second == null ? null : Long.valueOf(Math.min(first, second));
    return new ClosingReport(safe, unfinished);
  }
}
