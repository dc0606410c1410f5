package io.deepvm.trainer.averaging;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The micro-batches of one step that nobody has yet; who is faster takes more. */
final class Pool {

  private record Asked(int rank, int count) {}

  private final long generation;
  private final long step;
  private final Deque<Integer> left = new ArrayDeque<>();
  private final Map<Asked, Integer> given = new HashMap<>();

  Pool(long generation, long step, int microBatches, Collection<Integer> held) {
    this.generation = generation;
    this.step = step;
    Set<Integer> taken = new HashSet<>(held);
    for (int number = 0; number < microBatches; number++) {
      if (!taken.contains(number)) {
        left.add(number);
      }
    }
  }

  /** Returns the next one, -1 if there is none; the same again when asked again. */
  synchronized int take(Word.Take word) {
    if (word.generation() != generation || word.step() != step) {
      throw new IllegalStateException(
          "Step %d of generation %d is not under way.".formatted(word.step(), word.generation()));
    }
    return given.computeIfAbsent(
        new Asked(word.rank(), word.count()),
        asked -> {
          Integer next = left.poll();
          return next == null ? -1 : next;
        });
  }
}
