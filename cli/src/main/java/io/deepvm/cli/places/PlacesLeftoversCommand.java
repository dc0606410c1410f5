package io.deepvm.cli.places;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Csv;
import io.deepvm.cli.print.Json;
import io.deepvm.cli.print.Table;
import io.deepvm.cli.run.HostsRunner;
import io.deepvm.places.ssh.HostProblem;
import io.deepvm.places.ssh.Leftover;
import io.deepvm.places.ssh.SshHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds nodes on hosts, and ends the nodes without a coordinator. */
@Command(
    name = "leftovers",
    description = {
      "Lists the nodes of all runs on the hosts, found by their tags: no run folder is needed.",
      "A node is in use while a coordinator renews its lease, and left over after that. It ends",
      "itself at the end of its lease in any case."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm places leftovers ssh:hosts.yaml",
      "  deepvm places leftovers ssh:hosts.yaml --end",
      "",
      "On AWS, --end needs --run: nothing is ended that the user does not name."
    })
@SuppressWarnings("NullAway.Init")
public final class PlacesLeftoversCommand implements Callable<Integer> {

  /** A coordinator renews leases twice a second; one that is this much shorter has none. */
  private static final long RENEWED_SECONDS = 10;

  @Parameters(
      paramLabel = "ssh:FILE",
      description = "The hosts, as docs/how-to/ssh-hosts.md describes.")
  private String place;

  @Option(names = "--end", description = "End what is left over. What is in use goes on.")
  private boolean end;

  @Option(
      names = "--run",
      paramLabel = "RUN",
      description = "Only this run, as the list names it; with --end also if it is in use.")
  private @Nullable String run;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public PlacesLeftoversCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (place.startsWith(AwsLeftovers.PREFIX)) {
      return new AwsLeftovers(terminal, place.substring(AwsLeftovers.PREFIX.length()))
          .call(end, run, output.format);
    }
    SshSettings settings = PlacesCheckCommand.looking(place);
    List<HostProblem> problems = new ArrayList<>();
    List<Leftover> found = list(settings, problems);
    found.removeIf(each -> run != null && !each.run().equals(run));
    if (run != null && found.isEmpty() && problems.isEmpty()) {
      throw new BadInput(
          "No host has a node of the run %s.".formatted(run), "Maybe leave --run out to see all.");
    }
    switch (output.format) {
      case TABLE -> table(settings, found);
      case JSON -> json(found);
      case CSV -> csv(found);
    }
    if (end) {
      end(settings, found, problems);
    }
    for (HostProblem problem : problems) {
      terminal.err().println(problem.getMessage());
      terminal.err().println(problem.wayOut());
    }
    return problems.isEmpty() ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  private void table(SshSettings settings, List<Leftover> found) {
    if (found.isEmpty()) {
      terminal.out().println("Nothing is left on %d hosts.".formatted(settings.hosts().size()));
      return;
    }
    Table table = new Table("HOST", "RUN", "NODE", "PROCESSES>", "LEASE>", "OWNER", "STATE");
    for (Leftover each : found) {
      table.row(
          each.host(),
          each.run(),
          each.node(),
          Integer.toString(each.processes()),
          Math.max(0, each.leaseSeconds()) + " s",
          each.owner(),
          isInUse(each) ? "in use" : "left over");
    }
    table.print(terminal.out(), terminal.paint(), "");
  }

  private void json(List<Leftover> found) {
    Json.object(
        terminal.out(),
        json -> {
          json.put("schema", "deepvm/places-leftovers/v1");
          json.array(
              "nodes",
              list -> {
                for (Leftover each : found) {
                  list.object(
                      o -> {
                        o.put("host", each.host());
                        o.put("run", each.run());
                        o.put("node", each.node());
                        o.put("processes", each.processes());
                        o.put("leaseSeconds", each.leaseSeconds());
                        o.put("owner", each.owner());
                        o.put("inUse", isInUse(each));
                      });
                }
              });
        });
  }

  private void csv(List<Leftover> found) {
    Csv csv =
        new Csv(terminal.out())
            .row("host", "run", "node", "processes", "lease_seconds", "owner", "in_use");
    for (Leftover each : found) {
      csv.row(
          each.host(),
          each.run(),
          each.node(),
          each.processes(),
          each.leaseSeconds(),
          each.owner(),
          isInUse(each));
    }
  }

  private static boolean isInUse(Leftover node) {
    return node.leaseSeconds() > HostsRunner.LEASE_SECONDS - RENEWED_SECONDS;
  }

  private List<Leftover> list(SshSettings settings, List<HostProblem> problems) throws IOException {
    List<Leftover> found = new ArrayList<>();
    try (SshHosts hosts = SshHosts.of(settings)) {
      for (SshHosts.Answer<List<Leftover>> answer :
          Progress.during(terminal, "Asking the hosts", hosts::list)) {
        if (answer.problem() != null) {
          problems.add(answer.problem());
        } else if (answer.value() != null) {
          found.addAll(answer.value());
        }
      }
    }
    return found;
  }

  /** Ends whole runs: the named ones, and runs without a node in use. */
  private void end(SshSettings settings, List<Leftover> found, List<HostProblem> problems)
      throws IOException {
    TreeSet<String> runs = new TreeSet<>();
    found.forEach(each -> runs.add(each.run()));
    if (run == null) {
      found.stream()
          .filter(PlacesLeftoversCommand::isInUse)
          .forEach(each -> runs.remove(each.run()));
    }
    for (String each : runs) {
      SshSettings ending =
          new SshSettings(
              each,
              settings.owner(),
              settings.hosts(),
              settings.leaseSeconds(),
              settings.shipment());
      try (SshHosts hosts = SshHosts.of(ending)) {
        boolean gone = true;
        for (SshHosts.Answer<Boolean> answer : hosts.clear()) {
          gone &= Boolean.TRUE.equals(answer.value());
          if (answer.problem() != null) {
            problems.add(answer.problem());
          }
        }
        terminal.err().println("%s: %s.".formatted(each, gone ? "ended" : "not all of it ended"));
      }
    }
  }
}
