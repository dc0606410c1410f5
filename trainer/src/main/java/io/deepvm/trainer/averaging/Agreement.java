package io.deepvm.trainer.averaging;

import io.deepvm.trainer.member.Totals;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is said about the end of a step: to rank 0 who holds the sum, to the others that all do. A
 * word may come twice, when a connection ended before its answer, and the second time late: only
 * words of the step under way count.
 */
final class Agreement {

  private final TreeMap<Integer, Word.Whole> wholes = new TreeMap<>();
  private long step = -1;
  private @Nullable Totals committed;

  /** Forgets all that was said in another generation. */
  synchronized void form() {
    wholes.clear();
    step = -1;
    committed = null;
  }

  /** From now on rank 0 receives the members that hold the sum of this step. */
  synchronized void begin(long next) {
    wholes.clear();
    step = next;
  }

  synchronized void receive(Word.Whole said) {
    if (said.step() == step) {
      wholes.put(said.rank(), said);
    }
  }

  synchronized void receive(Word.Commit said) {
    if (committed == null || said.totals().step() > committed.step()) {
      committed = said.totals();
    }
  }

  /** Returns the shares in the sum that members said they hold, in the order of ranks. */
  synchronized List<Word.Share> shares() {
    return wholes.values().stream().map(Word.Whole::share).toList();
  }

  /** Returns the totals after this many steps, if the last of them is committed. */
  synchronized @Nullable Totals committed(long steps) {
    return committed != null && committed.step() == steps ? committed : null;
  }
}
