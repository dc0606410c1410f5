package io.deepvm.base;

/**
 * Ends a service that has run out of memory: it would answer nothing and look alive, and a
 * supervisor can start it again. The JVM's own {@code -XX:+ExitOnOutOfMemoryError} does so earlier;
 * this is for a service that was started without it.
 */
public final class OutOfMemory {

  /** The exit code of the JVM's own option. */
  static final int EXIT_CODE = 3;

  private static volatile boolean ends;

  private OutOfMemory() {}

  /** Lets an error of this kind in any thread end this process, if nothing catches it. */
  public static void endsThisProcess() {
    ends = true;
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, problem) -> {
          endIf(problem);
          if (before == null) {
            System.err.println("The thread " + thread.getName() + " has ended: " + problem);
          } else {
            before.uncaughtException(thread, problem);
          }
        });
  }

  /** Ends this process if it is a service and the problem is that its memory ran out. */
  public static void endIf(Throwable problem) {
    if (ends && problem instanceof OutOfMemoryError) {
      // not exit(): what runs then needs memory, too
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
