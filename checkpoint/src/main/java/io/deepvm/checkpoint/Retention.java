package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Version;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Which checkpoints to keep: the last ones, and those whose step is a multiple of a number.
 *
 * @param every zero keeps none but the last ones
 */
public record Retention(int last, long every) {

  /** The last three. */
  public static final Retention DEFAULT = new Retention(3, 0);

  public Retention {
    if (last < 1 || every < 0) {
      throw new BadInput(
          "Keeping the last %d checkpoints and every %d-th step is no rule.".formatted(last, every),
          "Maybe keep at least the last one; the only one is never deleted.");
    }
  }

  /** Returns which of the restorable versions of a job may go, oldest first. */
  public List<Version> spare(Collection<Version> restorable) {
    List<Version> newestFirst = new ArrayList<>(restorable);
    newestFirst.sort(Comparator.reverseOrder());
    List<Version> spare = new ArrayList<>();
    for (Version version :
        newestFirst.subList(Math.min(last, newestFirst.size()), newestFirst.size())) {
      if (every == 0 || version.step() % every != 0) {
        spare.add(0, version);
      }
    }
    return spare;
  }
}
