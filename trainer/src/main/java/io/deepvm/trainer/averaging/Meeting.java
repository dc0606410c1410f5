package io.deepvm.trainer.averaging;

import io.deepvm.trainer.averaging.Word.Hello;
import io.deepvm.trainer.averaging.Word.Part;
import io.deepvm.trainer.member.Totals;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What rank 0 makes of what all members came with. */
final class Meeting {

  private final Totals totals;
  private final int source;
  private final List<Part> parts = new ArrayList<>();
  private final Set<Integer> held = new HashSet<>();

  /** Finds the newest state; a step that anyone has taken is taken by all that hold its sum. */
  Meeting(Map<Integer, Hello> hellos) {
    Totals newest = Totals.NONE;
    int who = -1;
    for (Hello hello : hellos.values()) {
      Totals theirs = hello.totals();
      if (theirs != null && (who < 0 || theirs.compareTo(newest) > 0)) {
        newest = theirs;
        who = hello.rank();
      }
    }
    totals = newest;
    source = who;
    for (Hello hello : hellos.values()) {
      parts.add(part(hello));
    }
  }

  private Part part(Hello hello) {
    Totals theirs = hello.totals();
    if (theirs != null && theirs.sameState(totals)) {
      for (int microBatch : hello.share().held()) {
        if (held.contains(microBatch)) {
          // It was thought lost and has come back; a sum cannot be taken apart.
          return Part.DROP;
        }
      }
      held.addAll(hello.share().held());
      return Part.KEEP;
    }
    boolean next = theirs != null && theirs.step() == totals.step() - 1;
    return next && hello.whole() == totals.generation() ? Part.APPLY : Part.FETCH;
  }

  /** Returns where to go on. */
  Totals totals() {
    return totals;
  }

  /** Returns who has the state, -1 if nobody has. */
  int source() {
    return source;
  }

  /** Returns what each member does, by rank. */
  List<Part> parts() {
    return parts;
  }

  /** Returns the micro-batches that need not be handed out. */
  Set<Integer> held() {
    return held;
  }
}
