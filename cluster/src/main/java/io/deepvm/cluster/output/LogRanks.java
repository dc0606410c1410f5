package io.deepvm.cluster.output;

import java.util.Locale;

/** Which processes' output is sent to the coordinator. */
public enum LogRanks {
  RANK0,
  ALL,
  NONE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether the output of the process of this rank is wanted. */
  public boolean wants(int rank) {
    return this == ALL || (this == RANK0 && rank == 0);
  }
}
