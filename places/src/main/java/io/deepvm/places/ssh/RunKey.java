package io.deepvm.places.ssh;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The ssh key of a run whose coordinator works on a host. The key opens the run's hosts and nothing
 * else. It lies in the run's folder, beside the known keys of the hosts, and ends with the run.
 */
public final class RunKey {

  private static final String FOLDER = "ssh-keys";
  private static final String LOGIN = FOLDER + "/login";
  private static final String KNOWN = FOLDER + "/known-hosts";

  private final Path run;
  private final KeyPair pair;

  private RunKey(Path run, KeyPair pair) {
    this.run = run;
    this.pair = pair;
  }

  /** Makes the key of the run in the folder, unless it is there. */
  public static RunKey make(Path run) throws IOException {
    PrivateFiles.folder(run.resolve(FOLDER));
    return new RunKey(run, KeyPair.make(run.resolve(LOGIN)));
  }

  /** Whether the run in the folder has a key of its own. */
  public static boolean exists(Path run) {
    return Files.exists(run.resolve(FOLDER));
  }

  /**
   * Takes the key of a run that is over back from its hosts, and deletes it.
   *
   * @return the hosts that still list the key, which nobody has any more
   */
  public static List<String> end(Path run) throws IOException {
    if (!exists(run)) {
      return List.of();
    }
    List<String> away;
    try (SshHosts hosts = SshHosts.of(SshSettings.read(run))) {
      away =
          hosts.disallow().stream()
              .filter(answer -> answer.problem() != null)
              .map(answer -> answer.host().name())
              .toList();
    }
    try (Stream<Path> all = Files.walk(run.resolve(FOLDER))) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
    return away;
  }

  /** Returns the line that lets the key log in, without a terminal and without an agent. */
  public String allowed(String runOnHosts) throws IOException {
    String[] words = pair.publicLine().split(" ", -1);
    return "restrict,port-forwarding %s %s deepvm:%s\n".formatted(words[0], words[1], runOnHosts);
  }

  /**
   * Returns the hosts as another machine reaches them with this key, and keeps what is known of
   * their keys.
   *
   * @param from the host that they are to be reached from
   */
  public List<SshHost> hostsFrom(SshHost from, List<SshHost> hosts) throws IOException {
    List<SshHost> there = new ArrayList<>();
    StringBuilder known = new StringBuilder();
    for (SshHost host : hosts) {
      SshConfig config = SshConfig.of(host);
      if (config.isLoopback() && !host.name().equals(from.name())) {
        throw new HostProblem(
            host,
            "%s reaches itself at that address".formatted(from.name()),
            "Maybe name an address that all hosts reach: host: in the hosts file.");
      }
      known.append(config.known());
      SshHost.Login login =
          new SshHost.Login(
              config.hostname(),
              config.user(),
              config.port(),
              LOGIN,
              KNOWN,
              host.login().authorizedKeys());
      there.add(host.withLogin(login));
    }
    PrivateFiles.write(run.resolve(KNOWN), known.toString());
    return there;
  }
}
