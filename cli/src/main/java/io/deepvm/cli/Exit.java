package io.deepvm.cli;

/** How a command ends. */
final class Exit {

  static final int DONE = 0;
  static final int FAILED_INSIDE = 1;
  static final int BAD_INPUT = 2;
  static final int INFEASIBLE = 3;

  /** As the JVM itself ends when it is interrupted. */
  static final int INTERRUPTED = 130;

  private Exit() {}
}
