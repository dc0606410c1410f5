package io.deepvm.cli;

import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Report;
import io.deepvm.units.Durations;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Tells a person how a run goes: a line for each thing that matters, and on a terminal below them
 * one that changes.
 */
final class RunScreen implements Consumer<Logged>, AutoCloseable {

  private static final long BEAT_MS = 250;

  private final Terminal terminal;
  private final Resumption resumption;
  private final History history = new History();
  private long startMs = -1;
  private long nextMs;
  private boolean drawn;

  RunScreen(Terminal terminal, Resumption resumption) {
    this.terminal = terminal;
    this.resumption = resumption;
  }

  /** Takes in what happened before anybody watched. */
  synchronized void remember(Logged logged) {
    history.add(logged);
    startMs = startMs < 0 ? logged.atMs() : startMs;
  }

  @Override
  public synchronized void accept(Logged logged) {
    remember(logged);
    String news = news(logged.event());
    if (!news.isEmpty()) {
      wipe();
      terminal
          .err()
          .println(
              String.format(Locale.ROOT, "%6.1f s  %s", (logged.atMs() - startMs) / 1e3, news));
      terminal.err().flush();
    }
    if (terminal.live() && logged.atMs() >= nextMs) {
      nextMs = logged.atMs() + BEAT_MS;
      terminal.err().print("\r         %s\u001b[K".formatted(RunReport.line(history.status())));
      terminal.err().flush();
      drawn = true;
    }
  }

  /** Returns what a person wants to know of the event; empty when that is nothing. */
  private String news(Event event) {
    if (event instanceof Event.Rented e) {
      return "%s rented: %s %s".formatted(e.node(), e.poolName(), e.market());
    } else if (event instanceof Event.Refused e) {
      return "%d of %d nodes refused: %s".formatted(e.asked() - e.granted(), e.asked(), e.reason());
    } else if (event instanceof Event.Generation e) {
      return "generation %d: %s".formatted(e.number(), String.join(", ", e.members()));
    } else if (event instanceof Event.Joined e && e.from() == Report.Origin.CHECKPOINT) {
      return "%s restored the checkpoint of step %d".formatted(e.node(), e.step());
    } else if (event instanceof Event.NodeTurned e && e.to() == NodeState.NOTICED) {
      return "%s has notice: %s".formatted(e.node(), e.reason());
    } else if (event instanceof Event.NodeTurned e
        && (e.to() == NodeState.LOST || e.to() == NodeState.FAILED)) {
      return "%s %s: %s".formatted(e.node(), e.to().name().toLowerCase(Locale.ROOT), e.reason());
    } else if (event instanceof Event.Waits e) {
      return "has waited %s (%s of the market) for %s; %s"
          .formatted(print(e.waitedMs()), print(e.waitedMarketMs()), e.what(), e.next());
    } else if (event instanceof Event.RunTurned e && e.to() == RunState.INFEASIBLE) {
      return "the run cannot go on: " + e.reason();
    } else if (event instanceof Event.RunTurned e && e.to() == RunState.INTERRUPTED) {
      return "interrupted: the nodes are ended and not paid any more\n"
          + String.join("\n", resumption.ways());
    } else if (event instanceof Event.RunTurned e && e.to().isEnd()) {
      return "the run has %s%s"
          .formatted(
              e.to().name().toLowerCase(Locale.ROOT),
              e.reason().isEmpty() ? "" : ": " + e.reason());
    } else if (event instanceof Event.Saved e && e.state().equals("FAILED")) {
      return "the checkpoint of step %d failed: %s".formatted(e.step(), e.reason());
    } else if (event instanceof Event.Exited e && e.code() != 0) {
      return "the process on %s ended with %d".formatted(e.node(), e.code());
    }
    return "";
  }

  private static String print(long ms) {
    return Durations.print(Durations.ofSeconds(ms / 1e3));
  }

  private void wipe() {
    if (drawn) {
      terminal.err().print("\r\u001b[K");
      drawn = false;
    }
  }

  @Override
  public synchronized void close() {
    wipe();
    terminal.err().flush();
  }
}
