package io.deepvm.places.ssh;

import java.io.IOException;
import java.util.List;

/** A host cannot be used. The message is one sentence that names the host. */
public final class HostProblem extends IOException {
  private static final long serialVersionUID = 1;

  /** How long a problem lasts. */
  enum Kind {
    /** It may be over soon: the connection broke, or the host boots. */
    PASSING,
    /** It is over soon if the host still boots: it is not set up by then. */
    OF_BOOT,
    /** It will not go away by itself. */
    LASTING
  }

  private final String wayOut;
  private final Kind kind;

  HostProblem(SshHost host, String problem, String wayOut) {
    this(host, Kind.PASSING, problem, wayOut);
  }

  HostProblem(SshHost host, Kind kind, String problem, String wayOut) {
    super("%s (%s): %s.".formatted(host.name(), host.login(), problem));
    this.wayOut = wayOut;
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /** Returns what the user can do about it. */
  public String wayOut() {
    return wayOut;
  }

  /** Returns what the last lines that ssh printed mean. */
  static HostProblem ofSsh(SshHost host, List<String> said) {
    String all = String.join("\n", said);
    String last = said.isEmpty() ? "ssh ended without a word" : said.get(said.size() - 1).strip();
    if (all.contains("HOST IDENTIFICATION HAS CHANGED")) {
      return new HostProblem(
          host,
          Kind.OF_BOOT,
          "its key is not the one that was known",
          "Maybe it was set up anew: ask its owner, then remove the old key with ssh-keygen -R.");
    } else if (all.contains("Host key verification failed")) {
      return new HostProblem(
          host,
          Kind.OF_BOOT,
          "its key is not known",
          "Maybe connect once by hand, compare the fingerprint and accept it: ssh %s"
              .formatted(host.login().host()));
    } else if (all.contains("Permission denied")) {
      return new HostProblem(
          host,
          Kind.OF_BOOT,
          "it refuses this user's keys",
          "Maybe name user: and identity: in the hosts file, or add the key with ssh-copy-id.");
    } else if (all.contains("Could not resolve hostname")) {
      return new HostProblem(host, "its name is not known", "Maybe write its address as numbers.");
    }
    return new HostProblem(
        host,
        last.endsWith(".") ? last.substring(0, last.length() - 1) : last,
        "Maybe see what 'ssh %s' says.".formatted(host.login().host()));
  }
}
