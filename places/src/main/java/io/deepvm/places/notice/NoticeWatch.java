package io.deepvm.places.notice;

import io.deepvm.base.DaemonThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks clouds again and again whether they will take this machine, and reports each change once. A
 * service that does not answer changes nothing: machines can also be taken without any notice.
 */
public final class NoticeWatch implements AutoCloseable {

  /** A service that did not answer is asked less often, up to this pause. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Receives changes, on a thread of the watch. */
  public interface Listener {

    /** The cloud will take this machine. */
    void noticed(Notice notice);

    /** The cloud withdrew this notice. */
    void withdrawn(Notice notice);
  }

  private final Listener listener;
  private final List<Thread> threads = new ArrayList<>();

  private NoticeWatch(Listener listener) {
    this.listener = listener;
  }

  /** Starts to ask, each cloud at its own pace. */
  public static NoticeWatch start(List<NoticeReader> readers, Listener listener) {
    NoticeWatch watch = new NoticeWatch(listener);
    for (NoticeReader reader : readers) {
      Thread thread = DaemonThreads.of("notices-" + reader.cloud(), () -> watch.follow(reader));
      watch.threads.add(thread);
      thread.start();
    }
    return watch;
  }

  private void follow(NoticeReader reader) {
    Notice known = null;
    Duration pause = reader.pause();
    try {
      while (true) {
        try {
          known = changed(known, reader.read());
          pause = reader.pause();
        } catch (IOException e) {
          // While a notice stands, its withdrawal matters as much as before.
          pause = known != null ? reader.pause() : longer(pause);
        }
        Thread.sleep(pause.toMillis());
      }
    } catch (InterruptedException e) {
      // The watch is closed.
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private @Nullable Notice changed(@Nullable Notice known, Optional<Notice> now) {
    if (known != null && now.isPresent() && known.isSameEvent(now.get())) {
      return known;
    }
    if (known != null) {
      listener.withdrawn(known);
    }
    now.ifPresent(listener::noticed);
    return now.orElse(null);
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }
}
