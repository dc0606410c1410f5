package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class RunScreenTest {

  private final StringWriter err = new StringWriter();
  private final RunScreen screen =
      new RunScreen(
          new Terminal(
              new PrintWriter(new StringWriter()),
              new PrintWriter(err),
              false,
              false,
              false,
              Clock.systemUTC()),
          new Resumption(Path.of("nowhere")));

  @Test
  void aRunThatWaitsSaysSoWithoutATerminal() {
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
}
