package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.PlainPrinter;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.run.Resumption;
import io.deepvm.cli.run.RunScreen;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names and numbers in files of others (finding 18 of the security review). */
class HostileTextTest {

  /** Wipes the screen and gives the window another title. */
  private static final String WIPE = "\u001b[2J\u001b]0;mine\u0007\u009b2J";

  @TempDir Path folder;

  private Path plan(String instanceType, String price) throws IOException {
    return Files.writeString(
        folder.resolve("plan.json"),
        """
        {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "tiering", "run": {
          "workers": [{"cloud": "aws", "region": "us-east-1", "zone": "us-east-1a",
            "instanceType": "%s", "market": "spot", "count": 1, "anchor": false,
            "usdPerHour": %s, "onDemandUsdPerHour": 0.526}],
          "anchors": 1, "anchorsUsdPerHour": 0.085, "speeds": [1], "seconds": 7200,
          "checkpoint": {"bytes": 1000000, "stallSeconds": 0.1, "shipSeconds": 1,
            "restoreSeconds": 1, "justInTime": true, "objectStore": false,
            "intervalSeconds": 600}}}]}
        """
            .formatted(instanceType, price));
  }

  private Path catalog(String name) throws IOException {
    return Files.writeString(
        folder.resolve("catalog.json"),
        """
        {"instances": [{"name": "%s", "type": "C", "ondemand_price": 0.17, "spot_price": 0.1,
        "vCPU": 4, "memory": 8, "network_bandwidth": 10}], "available_vcpus": {}}
        """
            .formatted(name));
  }

  @ParameterizedTest
  @CsvSource({
    "g4dn\\u0000.xlarge, 0.2, with control characters in 'instanceType'",
    "g4dn\\u001b[2J.xlarge, 0.2, with control characters in 'instanceType'",
    "g4dn.xlarge, 1e99999999, more dollars than can be counted as 'usdPerHour'",
    "g4dn.xlarge, 1e99, more dollars than can be counted as 'usdPerHour'",
  })
  void aPlanThatCannotBeIsBadInputAndNoFailureInside(String type, String price, String said)
      throws IOException {
    Path plan = plan(type, price);
    Path run = folder.resolve("run");
    for (List<String> command :
        List.of(
            List.of("simulate", "--plan", plan.toString()),
            List.of("run", "--plan", plan.toString(), "--folder", run.toString(), "--", "true"))) {
      Screen screen = Screen.run(command.toArray(String[]::new));
      assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.BAD_INPUT);
      assertThat(screen.err()).contains(said).contains("Maybe").doesNotContain("\u001b", "\0");
    }
    assertThat(run).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"table", "csv", "json"})
  void noNameOfACatalogControlsTheTerminal(String format) throws IOException {
    Path catalog = catalog("c5\\u001b[2J\\u001b]0;mine\\u0007\\u009b2J.xlarge");
    Screen screen =
        Screen.run("catalog", "list", "--catalog", catalog.toString(), "--output", format);
    assertThat(screen.exitCode()).as(screen.err()).isZero();
    assertThat(screen.out()).contains("c5", ".xlarge").doesNotContain("\u001b", "\u0007", "\u009b");
  }

  @Test
  void aCellThatWouldBeAFormulaIsText() throws IOException {
    Path catalog = catalog("=HYPERLINK(1)");
    Screen screen =
        Screen.run("catalog", "list", "--catalog", catalog.toString(), "--output", "csv");
    assertThat(screen.out()).contains("'=HYPERLINK(1)").doesNotContain(",=HYPERLINK");
    // what is written is a catalog, in which the name is the same
    Path again = Files.writeString(folder.resolve("again.csv"), screen.out());
    assertThat(Screen.run("catalog", "list", "--catalog", again.toString()).out())
        .contains("=HYPERLINK(1)")
        .doesNotContain("'=");
  }

  @Test
  void noEventAndNoBadWordControlsTheTerminal() {
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err),
            false,
            true,
            false,
            Clock.systemUTC());
    try (RunScreen screen = new RunScreen(terminal, new Resumption(Path.of("nowhere")))) {
      screen.accept(new Logged(1000, 0, new Event.Started("mine" + WIPE, 1, 1, 0, 0)));
      screen.accept(
          new Logged(2000, 0, new Event.Waits(1000, 1000, "nodes" + WIPE, "it asks" + WIPE)));
    }
    assertThat(err.toString()).contains("mine", "nodes");
    // what is left are the lines that we draw ourselves
    assertThat(err.toString().replace("\u001b[K", ""))
        .doesNotContain("\u001b", "\u0007", "\u009b", "2J");
    assertThat(Screen.run("plan", "--place", "a" + WIPE).err())
        .doesNotContain("\u001b", "\u0007", "\u009b");
  }

  @Test
  void emphasisOfOurOwnStaysWhereThereIsColourAndOtherSequencesGo() {
    StringWriter text = new StringWriter();
    try (PlainPrinter colour = new PlainPrinter(text, true)) {
      colour.print("\u001b[1mstrong\u001b[0m\u001b[8mhidden\u001b[2J\n");
    }
    assertThat(text).hasToString("\u001b[1mstrong\u001b[0mhidden\n");
    StringWriter plain = new StringWriter();
    try (PlainPrinter none = new PlainPrinter(plain, false)) {
      none.print("\u001b[1mstrong\u001b[0m");
      none.print('\u001b');
      none.print("[2J");
    }
    assertThat(plain).hasToString("strong[2J");
  }

  @Test
  void noMessageOfALogControlsTheTerminal() {
    LogRecord message = new LogRecord(Level.WARNING, "a peer said" + WIPE);
    assertThat(new PlainLogs.Lines().format(message))
        .contains("a peer said")
        .endsWith("\n")
        .doesNotContain("\u001b", "\u0007", "\u009b");
  }
}
