package io.deepvm.cli.run;

import io.deepvm.base.Durations;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Shows a person how a run goes: a line for each thing that matters, the lines that its processes
 * print, and on a terminal below them one that changes.
 */
public final class RunScreen implements RunListener, AutoCloseable {

  private static final long BEAT_MS = 250;

  private final Terminal terminal;
  private final Resumption resumption;
  private final LogRanks logs;
  private final PrintWriter out;
  private final History history = new History();
  private long startMs = -1;
  private long nextMs;
  private boolean drawn;

  /** Shows a run without the output of its processes. */
  public RunScreen(Terminal terminal, Resumption resumption) {
    this(terminal, resumption, LogRanks.NONE, terminal.out());
  }

  /**
   * Shows a run.
   *
   * @param logs the processes whose output is shown
   * @param out where their standard output goes
   */
  RunScreen(Terminal terminal, Resumption resumption, LogRanks logs, PrintWriter out) {
    this.terminal = terminal;
    this.resumption = resumption;
    this.logs = logs;
    this.out = out;
  }

  @Override
  public LogRanks logs() {
    return logs;
  }

  /** Prints lines after the ranks of their processes, as PyTorch marks its own messages. */
  @Override
  public synchronized void printed(String node, PrintedLines lines) {
    wipe();
    terminal.err().flush();
    if (lines.leftOut() > 0) {
      terminal
          .err()
          .printf(
              "[%s]: %d lines came too fast and are left out here; nodes/%s in the run's folder has"
                  + " all%n",
              node, lines.leftOut(), node);
    }
    for (PrintedLine line : lines.lines()) {
      PrintWriter to = line.pipe() == PrintedLine.Pipe.OUT ? out : terminal.err();
      to.println("[rank%d]: %s".formatted(line.rank(), line.text()));
    }
    out.flush();
    draw();
    terminal.err().flush();
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
    if (logged.atMs() >= nextMs) {
      nextMs = logged.atMs() + BEAT_MS;
      draw();
    }
  }

  /** Draws the line that changes, where a person watches. */
  private void draw() {
    if (terminal.live() && startMs >= 0) {
      RunStatus status = history.status();
      terminal.redraw(
          String.format(
              Locale.ROOT, "%6.1f s  %s", (status.atMs() - startMs) / 1e3, RunReport.line(status)));
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
    } else if (event instanceof Event.RunTurned e && e.to() == RunPhase.INFEASIBLE) {
      return "the run cannot go on: " + e.reason();
    } else if (event instanceof Event.RunTurned e && e.to() == RunPhase.INTERRUPTED) {
      return String.join("\n", resumption.afterInterruption());
    } else if (event instanceof Event.RunTurned e && e.to().isEnd()) {
      return "the run has %s%s"
          .formatted(
              e.to().name().toLowerCase(Locale.ROOT),
              e.reason().isEmpty() ? "" : ": " + e.reason());
    } else if (event instanceof Event.Saved e && e.state().equals("FAILED")) {
      return "the checkpoint of step %d failed: %s".formatted(e.step(), e.reason());
    } else if (event instanceof Event.Exited e && e.code() != 0) {
      return "the process %son %s ended with %d"
          .formatted(
              e.localRank() != null ? "of local rank %d ".formatted(e.localRank()) : "",
              e.node(),
              e.code());
    }
    return "";
  }

  private static String print(long ms) {
    return Durations.print(Durations.ofSeconds(ms / 1e3));
  }

  private void wipe() {
    if (drawn) {
      terminal.wipe();
      drawn = false;
    }
  }

  @Override
  public synchronized void close() {
    wipe();
    terminal.err().flush();
  }
}
