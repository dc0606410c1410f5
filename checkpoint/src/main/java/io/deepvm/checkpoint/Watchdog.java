package io.deepvm.checkpoint;

/**
 * Something that a timer looks after again and again. A timer silently gives up a task that throws,
 * so this one logs whatever is thrown, errors included.
 */
public record Watchdog(String name, Runnable look) implements Runnable {

  private static final System.Logger LOG = System.getLogger(Watchdog.class.getName());

  @Override
  public void run() {
    try {
      look.run();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", name, e.toString());
    }
  }
}
