package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Version;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** Knows what the rounds that have not ended take of the heap, and which of them have to go. */
final class OpenRounds {

  /** A round. */
  record Key(String tier, Version version) {}

  /**
   * What open rounds may take.
   *
   * @param age how long a round may last, longer than workers wait for one
   */
  record Bounds(int rounds, long bytes, Duration age) {

    /** Two of the largest manifests; a round takes minutes at most. */
    static final Bounds USUAL = new Bounds(1_000, 2L * Lists.MAX_BYTES, Duration.ofMinutes(30));
  }

  /** A part takes this much even if next to nothing is in it. */
  private static final int LEAST_BYTES = 1 << 10;

  private static final class Round {
    private final Instant since;
    private int parts;

    Round(Instant since) {
      this.since = since;
    }
  }

  private final Bounds bounds;
  private final InstantSource clock;

  /** The oldest first. */
  private final Map<Key, Round> rounds = new LinkedHashMap<>();

  private long bytes;

  OpenRounds(Bounds bounds, InstantSource clock) {
    this.bounds = bounds;
    this.clock = clock;
  }

  /** Counts a part until it is removed. */
  synchronized void add(Key key, long partBytes) {
    rounds.computeIfAbsent(key, k -> new Round(clock.instant())).parts++;
    bytes += LEAST_BYTES + partBytes;
  }

  synchronized void remove(Key key, long partBytes) {
    rounds.computeIfPresent(key, (k, round) -> --round.parts == 0 ? null : round);
    bytes -= LEAST_BYTES + partBytes;
  }

  synchronized boolean isTooMuch() {
    return rounds.size() > bounds.rounds || bytes > bounds.bytes;
  }

  synchronized List<Key> oldestFirst() {
    return List.copyOf(rounds.keySet());
  }

  /** Returns the rounds of generations of a job before that of a version. */
  List<Key> outdatedBy(Version version) {
    return where(
        (key, round) ->
            key.version.job().equals(version.job())
                && key.version.generation() < version.generation());
  }

  /** Returns the rounds that last too long: some worker has died. */
  List<Key> overdue() {
    Instant limit = clock.instant().minus(bounds.age);
    return where((key, round) -> round.since.isBefore(limit));
  }

  private synchronized List<Key> where(BiPredicate<Key, Round> rule) {
    List<Key> found = new ArrayList<>();
    rounds.forEach(
        (key, round) -> {
          if (rule.test(key, round)) {
            found.add(key);
          }
        });
    return found;
  }
}
