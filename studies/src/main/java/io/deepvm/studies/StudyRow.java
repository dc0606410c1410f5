package io.deepvm.studies;

import org.jspecify.annotations.Nullable;

/**
 * One published figure beside ours.
 *
 * @param name which figure, of which case
 * @param published null where the original has no answer
 * @param ours null where we have none
 * @param note the cluster behind the number, and the original's mistake where there is one
 */
public record StudyRow(
    String study, String name, @Nullable Double published, @Nullable Double ours, String note) {

  /** How far ours is above the published figure, relative to it; null unless both are known. */
  public @Nullable Double relativeDifference() {
    if (published == null || ours == null || published == 0) {
      return null;
    }
    return (ours - published) / Math.abs(published);
  }
}
