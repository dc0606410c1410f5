package io.deepvm.checkpoint.memory;

import org.jspecify.annotations.Nullable;

/** Room for staged states within a budget that never grows. */
public interface Arena {

  /** Returns room for this many bytes, or null when there is not enough now. */
  @Nullable Image acquire(long bytes);

  /** Returns what this many bytes take of the budget. */
  long cost(long bytes);

  /** Returns the budget. */
  long capacity();

  /** Returns what is free of the budget. */
  long available();
}
