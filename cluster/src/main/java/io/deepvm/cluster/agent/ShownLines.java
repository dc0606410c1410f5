package io.deepvm.cluster.agent;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the lines of a stream that a person sees. Of a progress bar that overwrites itself, only
 * a few states and the last one are shown.
 */
final class ShownLines {

  /** The time between two states of a progress bar. */
  static final Duration BAR = Duration.ofSeconds(5);

  private final LongSupplier nanos;
  private final Consumer<String> shown;
  private @Nullable Long barNanos;
  private @Nullable String held;

  ShownLines(LongSupplier nanos, Consumer<String> shown) {
    this.nanos = nanos;
    this.shown = shown;
  }

  /** Takes the next line. */
  void line(String text, LineSplitter.End end) {
    if (end != LineSplitter.End.OVERWRITTEN) {
      held = null;
      shown.accept(text);
    } else if (!text.isBlank()) {
      bar(text);
    }
  }

  private void bar(String text) {
    long now = nanos.getAsLong();
    Long before = barNanos;
    if (before != null && now - before < BAR.toNanos()) {
      held = text;
      return;
    }
    barNanos = now;
    held = null;
    shown.accept(text);
  }

  /** Shows the last state of a progress bar that nothing followed. */
  void close() {
    if (held != null) {
      shown.accept(held);
      held = null;
    }
  }
}
