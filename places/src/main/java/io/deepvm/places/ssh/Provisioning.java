package io.deepvm.places.ssh;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Brings to a host what its nodes need. What is there already is not sent again. */
final class Provisioning {

  private static final Duration SHORT = Duration.ofMinutes(1);

  /** Large files over slow links, and setups that install much. */
  private static final Duration LONG = Duration.ofHours(2);

  private final HostLink link;
  private final SshHost host;

  Provisioning(HostLink link, SshHost host) {
    this.link = link;
    this.host = host;
  }

  void bring(SshSettings.Shipment shipment) throws IOException {
    Runtimes.Bundle runtime = Runtimes.of(shipment.classes());
    if (!runtime.sum().isEmpty()) {
      bring(runtime.contents());
      send("cannot put DeepVM together", runtime.manifest(), "assemble", runtime.sum());
    }
    if (shipment.job() != null) {
      Content job = Content.of("job.yaml", Path.of(shipment.job()));
      bring(List.of(job));
      send("cannot take the job", "", "place", job.sum(), job.name());
    }
    if (shipment.workdir() != null) {
      Content work = Content.of("workdir", Path.of(shipment.workdir()));
      bring(List.of(work));
      send("cannot unpack the working folder", "", "unpack", work.sum());
    }
    if (!shipment.setup().isEmpty()) {
      send("the setup failed", shipment.setup(), "setup");
    }
  }

  private void bring(List<Content> contents) throws IOException {
    String sums = contents.stream().map(Content::sum).collect(Collectors.joining("\n", "", "\n"));
    Set<String> missing =
        link.ask(SshMaster.Input.of(sums), SHORT, "missing").lines().collect(Collectors.toSet());
    for (Content content : contents) {
      if (missing.remove(content.sum())) {
        try {
          link.ask(SshMaster.Input.of(content.file()), LONG, "put", content.sum());
        } catch (SshMaster.CommandFailed e) {
          throw new HostProblem(
              host,
              HostProblem.Kind.LASTING,
              "%s cannot be stored there: %s".formatted(content.name(), e.getMessage()),
              "Maybe free some disk, or name another folder: in the hosts file.");
        }
      }
    }
  }

  private void send(String problem, String input, String verb, String... arguments)
      throws IOException {
    try {
      link.ask(SshMaster.Input.of(input), LONG, verb, arguments);
    } catch (SshMaster.CommandFailed e) {
      throw new HostProblem(
          host,
          HostProblem.Kind.LASTING,
          "%s: %s".formatted(problem, e.getMessage()),
          "Maybe try the same by hand on that host.");
    }
  }
}
