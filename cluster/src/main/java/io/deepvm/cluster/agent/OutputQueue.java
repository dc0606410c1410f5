package io.deepvm.cluster.agent;

import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines that wait for the coordinator, within a bound: where they come faster than they go, the
 * oldest are dropped and counted. Lines are underway until the coordinator has received them, and
 * no others are meanwhile.
 */
final class OutputQueue {

  /** The most that waits, in characters. */
  static final int MOST_CHARS = 1 << 20;

  /** The most that is underway, but for one line that is longer. */
  private static final int UNDERWAY_CHARS = 1 << 15;

  /** What a line counts besides its characters. */
  private static final int LINE_CHARS = 64;

  private final Deque<PrintedLine> waiting = new ArrayDeque<>();
  private @Nullable LogRanks wanted;
  private @Nullable PrintedLines underway;
  private long chars;
  private long leftOut;
  private long number;
  private boolean asked;

  /**
   * Says which ranks the coordinator wants; before, all wait.
   *
   * @return whether {@link #next} is to be called
   */
  synchronized boolean want(LogRanks ranks) {
    wanted = ranks;
    waiting.removeIf(line -> !ranks.wants(line.rank()));
    chars = waiting.stream().mapToLong(OutputQueue::size).sum();
    notifyAll();
    return ask();
  }

  /**
   * Adds a line.
   *
   * @return whether {@link #next} is to be called
   */
  synchronized boolean add(PrintedLine line) {
    if (wanted != null && !wanted.wants(line.rank())) {
      return false;
    }
    waiting.add(line);
    chars += size(line);
    while (chars > MOST_CHARS) {
      chars -= size(waiting.remove());
      leftOut++;
    }
    return ask();
  }

  /**
   * Notes that the coordinator has received the lines of this number.
   *
   * @return whether {@link #next} is to be called
   */
  synchronized boolean received(long lines) {
    if (underway != null && underway.number() == lines) {
      underway = null;
      notifyAll();
    }
    return ask();
  }

  private boolean ask() {
    if (asked || wanted == null || underway != null || waiting.isEmpty()) {
      return false;
    }
    asked = true;
    return true;
  }

  /** Returns the lines to be sent now; null if none are. */
  synchronized @Nullable PrintedLines next() {
    asked = false;
    if (wanted == null || underway != null || waiting.isEmpty()) {
      return null;
    }
    List<PrintedLine> lines = new ArrayList<>();
    int taken = 0;
    do {
      PrintedLine line = waiting.remove();
      taken += size(line);
      lines.add(line);
    } while (!waiting.isEmpty() && taken + size(waiting.element()) <= UNDERWAY_CHARS);
    chars -= taken;
    underway = new PrintedLines(++number, leftOut, lines);
    leftOut = 0;
    notifyAll();
    return underway;
  }

  /** Returns the lines that a coordinator may have missed; null if there are none. */
  synchronized @Nullable PrintedLines underway() {
    return underway;
  }

  /**
   * Waits until the coordinator has received everything it wants, or has received nothing for this
   * long.
   */
  synchronized void awaitEmpty(Duration patience) throws InterruptedException {
    long seen = number;
    long until = System.nanoTime() + patience.toNanos();
    while (wanted != null && (underway != null || !waiting.isEmpty())) {
      if (number != seen) {
        seen = number;
        until = System.nanoTime() + patience.toNanos();
      }
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return;
      }
      wait(left);
    }
  }

  private static int size(PrintedLine line) {
    return line.text().length() + LINE_CHARS;
  }
}
