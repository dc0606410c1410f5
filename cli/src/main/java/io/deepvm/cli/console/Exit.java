package io.deepvm.cli.console;

/** How a command ends. */
public final class Exit {

  public static final int DONE = 0;
  public static final int FAILED_INSIDE = 1;
  public static final int BAD_INPUT = 2;
  public static final int INFEASIBLE = 3;

  /** As the JVM itself ends when it is interrupted. */
  public static final int INTERRUPTED = 130;

  private Exit() {}
}
