package io.deepvm.trainer.member;

import java.time.Duration;

/** Says now and then that this member is at work on something long, until that is done. */
public final class AtWork {

  private final Thread thread;

  AtWork(Duration pause, Runnable say) {
    thread =
        new Thread(
            () -> {
              try {
                while (true) {
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
}
