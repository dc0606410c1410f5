package io.deepvm.trainer.averaging;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The micro-batches of one step that nobody has yet. Who is faster takes more, and nobody gets one
 * that the others would be done with before: the last of a step is done as early as it can be.
 */
final class MicroBatchPool {

  private static final int NONE = -1;

  private record Asked(int rank, int count) {}

  private static final class Member {
    private boolean asked;
    private boolean through;
    private boolean began;
    private long beganAt;
    private double freeAt;
  }

  private final long generation;
  private final long step;
  private final Tempo tempo;
  private final LongSupplier nanoClock;
  private final Member[] members;
  private final Deque<Integer> left = new ArrayDeque<>();
  private final Map<Asked, Integer> given = new HashMap<>();

  MicroBatchPool(
      long generation,
      long step,
      int members,
      int microBatches,
      Collection<Integer> held,
      Tempo tempo,
      LongSupplier nanoClock) {
    this.generation = generation;
    this.step = step;
    this.tempo = tempo;
    this.nanoClock = nanoClock;
    this.members = Stream.generate(Member::new).limit(members).toArray(Member[]::new);
    Set<Integer> taken = new HashSet<>(held);
    for (int number = 0; number < microBatches; number++) {
      if (!taken.contains(number)) {
        left.add(number);
      }
    }
  }

  /** Returns the next one, -1 if there is none for this member; the same again when asked again. */
  synchronized int take(Word.Take word) {
    if (word.generation() != generation || word.step() != step) {
      throw new IllegalStateException(
          "Step %d of generation %d is not under way.".formatted(word.step(), word.generation()));
    }
    return given.computeIfAbsent(
        new Asked(word.rank(), word.count()), asked -> next(asked.rank, nanoClock.getAsLong()));
  }

  private int next(int rank, long now) {
    Member member = members[rank];
    int holds = 0;
    if (member.asked) {
      // It asks again when it begins with what it was given before.
      if (member.began) {
        tempo.note(rank, now - member.beganAt);
      }
      member.began = true;
      member.beganAt = now;
      holds = 1;
    }
    member.asked = true;
    double done = now + (holds + 1) * tempo.nanos(rank);
    if (left.isEmpty() || othersAreDoneBy(done, rank, now)) {
      member.through = true;
      return NONE;
    }
    member.freeAt = done;
    return left.remove();
  }

  /** Whether those who will ask again can do all that is left until then. */
  private boolean othersAreDoneBy(double moment, int rank, long now) {
    if (!tempo.isKnown()) {
      return false;
    }
    double possible = 0;
    for (int other = 0; other < members.length; other++) {
      Member member = members[other];
      if (other != rank && !member.through) {
        double free = member.asked ? Math.max(member.freeAt, (double) now) : (double) now;
        possible += Math.max(0, Math.floor((moment - free) / tempo.nanos(other)));
      }
    }
    return possible >= left.size();
  }
}
