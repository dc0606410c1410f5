package io.deepvm.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.TestSshd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Hosts that are network namespaces of this machine, each with Debian's sshd. */
final class NamespaceHosts implements AutoCloseable {

  private final String bridge;
  private final int count;
  private final List<TestSshd> sshds = new ArrayList<>();

  private NamespaceHosts(String bridge, int count) {
    this.bridge = bridge;
    this.count = count;
  }

  /**
   * Makes the hosts, or leaves the test out where that is impossible.
   *
   * @param net the first three numbers of their addresses
   */
  static NamespaceHosts start(String bridge, String net, int count, Path folder)
      throws IOException {
    TestSshd.require();
    assumeTrue("root".equals(System.getProperty("user.name")), "namespaces need root");
    assumeTrue(
        Files.isExecutable(Path.of("/usr/sbin/ip")) || Files.isExecutable(Path.of("/sbin/ip")));
    NamespaceHosts hosts = new NamespaceHosts(bridge, count);
    hosts.remove();
    ip("link add %s type bridge".formatted(bridge));
    ip("addr add %s.1/24 dev %s".formatted(net, bridge));
    ip("link set %s up".formatted(bridge));
    for (int i = 1; i <= count; i++) {
      String space = bridge + i;
      ip("netns add " + space);
      ip("link add v%s type veth peer name eth0 netns %s".formatted(space, space));
      ip("link set v%s master %s up".formatted(space, bridge));
      ip("-n %s addr add %s.%d/24 dev eth0".formatted(space, net, 10 + i));
      ip("-n %s link set eth0 up".formatted(space));
      ip("-n %s link set lo up".formatted(space));
      hosts.sshds.add(
          TestSshd.start(
              folder.resolve("sshd" + i),
              "%s.%d".formatted(net, 10 + i),
              22,
              List.of("ip", "netns", "exec", space)));
    }
    return hosts;
  }

  /** Returns how to log in to a host, counted from 1. */
  SshHost.Login login(int host) {
    return sshds.get(host - 1).login();
  }

  /** Cuts a host off from the others and from this machine, or mends its link. */
  void link(int host, String state) throws IOException {
    ip("link set v%s%d %s".formatted(bridge, host, state));
  }

  private void remove() throws IOException {
    for (int i = 1; i <= count; i++) {
      int unused = run(List.of("ip", "netns", "del", bridge + i));
    }
    int unused = run(List.of("ip", "link", "del", bridge));
  }

  private static void ip(String words) throws IOException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(words.split(" ", -1)));
    if (run(line) != 0) {
      throw new IOException("ip " + words);
    }
  }

  private static int run(List<String> line) throws IOException {
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    sshds.forEach(TestSshd::close);
    remove();
  }
}
