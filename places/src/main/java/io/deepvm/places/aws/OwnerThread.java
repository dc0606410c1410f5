package io.deepvm.places.aws;

import io.deepvm.places.News;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The thread of a cloud's owner, which receives the news, and helpers for requests that block. */
final class OwnerThread {

  private final Timers timers;
  private final Backoff backoff;
  private @Nullable Consumer<News> news;

  OwnerThread(Timers timers, RandomGenerator random) {
    this.timers = timers;
    this.backoff = new Backoff(random);
  }

  /** Something that blocks. */
  interface Blocking {
    void run() throws IOException;
  }

  void open(Consumer<News> listener) {
    news = listener;
  }

  void close() {
    news = null;
  }

  /** Reports a fact, after what happens now. */
  void report(News fact) {
    timers.after(
        0,
        () -> {
          Consumer<News> listener = news;
          if (listener != null) {
            listener.accept(fact);
          }
        });
  }

  /** Runs a task on the owner's thread, unless the cloud is closed by then. */
  void later(long micros, Runnable task) {
    timers.after(
        micros,
        () -> {
          if (news != null) {
            task.run();
          }
        });
  }

  /** Runs something that blocks; after a failure the other task runs, a little later. */
  void aside(Blocking task, Runnable afterFailure) {
    timers.aside(
        () -> {
          try {
            task.run();
            backoff.succeeded();
          } catch (IOException e) {
            later(backoff.failed(), afterFailure);
          }
        });
  }
}
