package io.deepvm.cli.coordinator;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.places.ssh.CoordinatorHost;
import io.deepvm.places.ssh.CoordinatorSeat;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the folder of a run anew from its store, after its coordinator was lost. The old one is
 * killed where it can be reached. Where not, it loses its claim, and agents obey the new one.
 */
public record RunRescue(Terminal terminal, Path folder) {

  /**
   * Claims the run and writes its newest copy into the folder.
   *
   * @param all the hosts of the user's file; those that do not train may carry the old coordinator
   * @return the settings of the run on the hosts that train
   */
  public SshSettings restore(StoredRun wanted, List<SshHost> all) throws IOException {
    RunFiles files = new RunFiles(folder);
    requireNone();
    try (Tier tier = wanted.open()) {
      StoredFiles log = new StoredFiles(tier, wanted.log());
      StoredFiles.Content seen = require(log.newest(), wanted);
      SshSettings before = SshSettings.parse(text(seen, "ssh.json"));
      killOld(before, wanted, all);
      Claim claim = Claim.of(tier.generation(wanted.log()) + 1);
      tier.claim(wanted.log(), claim);
      // What came before the claim is final only now.
      StoredFiles.Content newest = require(log.newest(), wanted);
      StoredFiles.Content constants =
          require(new StoredFiles(tier, wanted.constants()).newest(), wanted);
      Path unused = PrivateFiles.folder(folder);
      wanted.with(claim).write(folder);
      files.write(newest.files());
      files.write(constants.files());
    } catch (StaleGeneration e) {
      throw new BadInput(
          "Another computer has just taken the run %s over.".formatted(wanted.name()),
          "Maybe look for it there.");
    }
    return settle(all);
  }

  /** Refuses a folder that has a run already. */
  public void requireNone() {
    new RunFiles(folder).requireNone();
  }

  private static String text(StoredFiles.Content content, String file) {
    byte[] bytes = content.files().getOrDefault(file, new byte[0]);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static StoredFiles.Content require(
      StoredFiles.@Nullable Content content, StoredRun wanted) {
    if (content == null) {
      throw new BadInput(
          "%s has no copy of a run called %s.".formatted(wanted.store(), wanted.name()),
          "Maybe name the folder as it was called: --folder PATH/NAME.");
    }
    if (content.version().job().equals(wanted.log()) && RunFiles.isOver(content.files())) {
      throw new BadInput(
          "The run %s in %s is over.".formatted(wanted.name(), wanted.store()),
          "Maybe start a new one.");
    }
    return content;
  }

  /** Ends the old coordinator on each host that carries it. */
  private void killOld(SshSettings before, StoredRun wanted, List<SshHost> all) {
    for (SshHost host : all) {
      CoordinatorSeat seat = new CoordinatorSeat(host, before.run(), wanted.name(), "");
      try {
        if (new CoordinatorHost(seat).kill()) {
          terminal.err().println("The old coordinator on %s is ended.".formatted(host.name()));
        }
      } catch (IOException e) {
        terminal
            .err()
            .println(
                "%s cannot be asked for the old coordinator; it loses its claim."
                    .formatted(host.name()));
      }
    }
    terminal.err().flush();
  }

  /** Takes the hosts of the user's file, and finds the run's nodes on them. */
  private SshSettings settle(List<SshHost> all) throws IOException {
    List<SshHost> training =
        all.stream().filter(host -> !host.type().equals(SshHost.ANCHOR)).toList();
    SshSettings before = SshSettings.read(folder);
    SshSettings settings = before.on(training);
    settings.write(folder);
    Set<String> held =
        Runs.status(folder, terminal.clock()).held().stream()
            .map(NodeStatus::node)
            .collect(Collectors.toSet());
    try (SshHosts hosts = SshHosts.of(settings)) {
      for (SshHosts.Answer<List<String>> answer : hosts.find(held, folder)) {
        List<String> ended = answer.value();
        if (ended != null && !ended.isEmpty()) {
          terminal
              .err()
              .println(
                  "%s had nodes that the copy does not know; they are ended: %s"
                      .formatted(answer.host().name(), String.join(", ", ended)));
        }
      }
    }
    terminal.err().flush();
    return settings;
  }
}
