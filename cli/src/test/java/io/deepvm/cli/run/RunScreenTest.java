package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunScreenTest {

  private static final PrintedLines LINES =
      new PrintedLines(
          1,
          0,
          List.of(
              new PrintedLine(0, PrintedLine.Pipe.OUT, "epoch 1"),
              new PrintedLine(3, PrintedLine.Pipe.ERR, "a warning")));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private Terminal terminal(boolean live) {
    return new Terminal(
        new PrintWriter(out), new PrintWriter(err), false, live, false, Clock.systemUTC());
  }

  private static Resumption nowhere() {
    return new Resumption(Path.of("nowhere"));
  }

  @Test
  void aRunThatWaitsSaysSoWithoutATerminal() {
    RunScreen screen = new RunScreen(terminal(false), nowhere());
    screen.accept(new Logged(1_000, 0, new Event.Started("run", 600, 1, 0, 0)));
    screen.accept(
        new Logged(
            31_000,
            18_000_000,
            new Event.Waits(30_000, 18_000_000, "nodes: 0 of 4 are there", "it asks again")));

    assertThat(err)
        .hasToString(
            "  30.0 s  has waited 30 s (5 h of the market) for nodes: 0 of 4 are there; it asks"
                + " again\n");
  }

  @Test
  void linesStandAfterTheRankOfTheirProcessOnTheStreamTheyWereWrittenTo() {
    Terminal terminal = terminal(false);
    new RunScreen(terminal, nowhere(), LogRanks.ALL, terminal.out()).printed("n1", LINES);
    assertThat(out).hasToString("[rank0]: epoch 1\n");
    assertThat(err).hasToString("[rank3]: a warning\n");
  }

  @Test
  void linesThatWereDroppedAreCounted() {
    Terminal terminal = terminal(false);
    new RunScreen(terminal, nowhere(), LogRanks.ALL, terminal.out())
        .printed("n1", new PrintedLines(2, 4711, LINES.lines()));
    assertThat(err.toString()).startsWith("[n1]: 4711 lines came too fast").contains("nodes/n1");
  }

  @Test
  void theLineThatChangesGivesWayToALineAndComesBackBelowIt() {
    Terminal terminal = terminal(true);
    RunScreen screen = new RunScreen(terminal, nowhere(), LogRanks.ALL, terminal.err());
    screen.accept(new Logged(1000, 0, new Event.Started("mine", 1, 1, 0, 0)));
    assertThat(err.toString()).contains("mine: waiting");
    err.getBuffer().setLength(0);
    screen.printed("n1", LINES);
    assertThat(err.toString())
        .startsWith("\r\u001b[K[rank0]: epoch 1\n[rank3]: a warning\n\r")
        .contains("mine: waiting");
    err.getBuffer().setLength(0);
    screen.close();
    assertThat(err).hasToString("\r\u001b[K");
  }

  @Test
  void aProcessThatFailedIsNamedWhereANodeHasSeveral() {
    RunScreen screen = new RunScreen(terminal(false), nowhere());
    screen.accept(new Logged(0, 0, new Event.Exited("n1", 1, 1, 9, "", 2)));
    screen.accept(new Logged(0, 0, new Event.Exited("n2", 1, 9, "")));
    assertThat(err.toString())
        .contains("the process of local rank 2 on n1 ended with 9")
        .contains("the process on n2 ended with 9");
  }
}
