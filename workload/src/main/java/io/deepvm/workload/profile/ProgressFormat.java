package io.deepvm.workload.profile;

import org.jspecify.annotations.Nullable;

/** One way in which training scripts report progress. */
public interface ProgressFormat {

  /** Returns the name under which it is shown. */
  String title();

  /** Returns what a line of output says, or null when it says nothing in this format. */
  @Nullable ProgressCount read(String line);
}
