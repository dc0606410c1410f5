package io.deepvm.trainer.member;

import java.time.Duration;

/**
 * Reports at intervals that this member is at work on something long, until that is done or has
 * taken too long.
 */
public final class AtWork {

  private final Thread thread;

  AtWork(Duration pause, int most, Runnable say) {
    thread =
        new Thread(
            () -> {
              try {
                for (int said = 0; said < most; said++) {
                  Thread.sleep(pause.toMillis());
                  say.run();
                }
              } catch (InterruptedException e) {
                // It has ended.
              }
            },
            "at-work");
    thread.setDaemon(true);
    thread.start();
  }

  /** It is done: nothing more is said. */
  public void end() {
    thread.interrupt();
  }

  /** Waits until nothing more will be said; returns whether that is so. */
  boolean join(Duration atMost) throws InterruptedException {
    thread.join(atMost.toMillis());
    return !thread.isAlive();
  }
}
