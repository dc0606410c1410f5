package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.CoordinatorLink;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends what a node's command prints to the coordinator, part by part; any thread may call. */
final class PrintedOutput {

  private final OutputQueue queue = new OutputQueue();
  private final CoordinatorLink link;
  private @Nullable LogRanks shown;

  PrintedOutput(CoordinatorLink link) {
    this.link = link;
  }

  /** Sends the output of these ranks only. */
  synchronized void show(LogRanks ranks) {
    if (ranks != shown) {
      shown = ranks;
      send(queue.want(ranks));
    }
  }

  void add(PrintedLine line) {
    send(queue.add(line));
  }

  /** Notes that the coordinator received the part of this number. */
  void received(long number) {
    send(queue.received(number));
  }

  /** Waits until the coordinator has everything, or has received nothing for this long. */
  void awaitEmpty(Duration patience) throws InterruptedException {
    queue.awaitEmpty(patience);
  }

  private void send(boolean due) {
    PrintedLines next = due ? queue.next() : null;
    if (next != null) {
      link.print(next);
    }
  }
}
