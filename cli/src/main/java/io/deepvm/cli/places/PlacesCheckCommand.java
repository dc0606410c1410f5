package io.deepvm.cli.places;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Csv;
import io.deepvm.cli.print.Json;
import io.deepvm.cli.print.Table;
import io.deepvm.cli.run.HostChecks;
import io.deepvm.cli.run.HostsFile;
import io.deepvm.cli.run.HostsRunner;
import io.deepvm.places.ssh.HostFacts;
import io.deepvm.places.ssh.SshHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says whether each host of a file can train. */
@Command(
    name = "check",
    description = {
      "Connects to each host and says whether it can train: ssh, tools, architecture, glibc, clock,",
      "disk, GPUs, other runs. Starts nothing there."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm places check ssh:hosts.yaml",
      "",
      "Exit code 2: some host cannot train."
    })
@SuppressWarnings("NullAway.Init")
public final class PlacesCheckCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "ssh:FILE",
      description = "The hosts, as docs/how-to/ssh-hosts.md describes.")
  private String place;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public PlacesCheckCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Returns settings that only serve to look at hosts. */
  static SshSettings looking(String place) {
    return new SshSettings(
        "none",
        HostsRunner.owner(),
        HostsFile.ofPlace(place),
        HostsRunner.LEASE_SECONDS,
        SshSettings.Shipment.NONE);
  }

  @Override
  public Integer call() throws IOException {
    SshSettings settings = looking(place);
    List<SshHosts.Answer<HostFacts>> answers;
    try (SshHosts hosts = SshHosts.of(settings)) {
      answers = Progress.during(terminal, "Checking the hosts", hosts::facts);
    }
    List<Row> rows =
        answers.stream()
            .map(each -> new Row(each, HostChecks.judge(each, terminal.clock())))
            .toList();
    switch (output.format) {
      case TABLE -> table(rows);
      case JSON -> json(rows);
      case CSV -> csv(rows);
    }
    boolean ready = true;
    for (Row row : rows) {
      if (row.finding() != null) {
        ready = false;
        terminal.err().println(row.finding().problem());
        terminal.err().println(row.finding().wayOut());
      }
    }
    return ready ? Exit.DONE : Exit.BAD_INPUT;
  }

  /** A host with what is wrong with it. */
  private record Row(SshHosts.Answer<HostFacts> answer, HostChecks.@Nullable Finding finding) {

    String name() {
      return answer.host().name();
    }

    String type() {
      return answer.host().type();
    }

    String fact(Function<HostFacts, Object> which) {
      HostFacts facts = answer.value();
      return facts == null ? "" : which.apply(facts).toString();
    }

    boolean ready() {
      return finding == null;
    }

    String problem() {
      return finding == null ? "" : finding.problem();
    }
  }

  private void table(List<Row> rows) {
    Table table = new Table("HOST", "TYPE", "CPUS>", "GPUS>", "FREE GIB>", "LIBC", "STATE");
    for (Row row : rows) {
      table.row(
          row.name(),
          row.type(),
          row.fact(HostFacts::cores),
          row.fact(HostFacts::gpus),
          row.fact(facts -> facts.freeKib() >> 20),
          row.fact(HostFacts::libc),
          row.ready() ? "ready" : "not ready");
    }
    table.print(terminal.out(), terminal.paint(), "");
  }

  private void json(List<Row> rows) {
    Json.object(
        terminal.out(),
        json -> {
          json.put("schema", "deepvm/places-check/v1");
          json.array(
              "hosts",
              list -> {
                for (Row row : rows) {
                  list.object(
                      o -> {
                        o.put("host", row.name());
                        o.put("type", row.type());
                        o.put("ready", row.ready());
                        o.put("problem", row.problem());
                      });
                }
              });
        });
  }

  private void csv(List<Row> rows) {
    Csv csv = new Csv(terminal.out()).row("host", "type", "ready", "problem");
    for (Row row : rows) {
      csv.row(row.name(), row.type(), row.ready(), row.problem());
    }
  }
}
