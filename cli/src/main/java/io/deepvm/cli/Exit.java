package io.deepvm.cli;

/** How a command ends; 130 is the JVM's own when it is interrupted. */
final class Exit {

  static final int DONE = 0;
  static final int FAILED_INSIDE = 1;
  static final int BAD_INPUT = 2;
  static final int INFEASIBLE = 3;

  private Exit() {}
}
