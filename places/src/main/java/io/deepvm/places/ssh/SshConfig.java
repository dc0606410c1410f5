package io.deepvm.places.ssh;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How this machine's ssh reaches a host, without any configuration of the user.
 *
 * @param known lines with the known keys of the host
 */
record SshConfig(String hostname, String user, int port, String known) {

  private static final int SECONDS = 20;
  private static final int STANDARD_PORT = 22;

  /** Asks ssh, which reads the user's configuration. */
  static SshConfig of(SshHost host) throws IOException {
    List<String> line = SshMaster.options(host);
    line.add(1, "-G");
    line.add(host.login().host());
    Map<String, String> facts = new HashMap<>();
    for (String each : run(line).lines().toList()) {
      String[] words = each.split(" ", 2);
      facts.putIfAbsent(words[0], words.length == 2 ? words[1] : "");
    }
    String hostname = facts.getOrDefault("hostname", host.login().host());
    int port = Integer.parseInt(facts.getOrDefault("port", "" + STANDARD_PORT));
    String there = port == STANDARD_PORT ? hostname : "[%s]:%d".formatted(hostname, port);
    String alias = facts.getOrDefault("hostkeyalias", "");
    List<String> files = new ArrayList<>();
    for (String key : List.of("userknownhostsfile", "globalknownhostsfile")) {
      files.addAll(List.of(facts.getOrDefault(key, "").split(" +", -1)));
    }
    String known = known(alias.isEmpty() || alias.equals("none") ? there : alias, there, files);
    if (known.isEmpty()) {
      throw new HostProblem(
          host,
          "its key is in no file of known hosts",
          "Maybe connect once by hand, compare the fingerprint and accept it: ssh %s"
              .formatted(host.login().host()));
    }
    return new SshConfig(hostname, facts.getOrDefault("user", ""), port, known);
  }

  /** Returns the lines of the files about a host, with another name for it. */
  private static String known(String name, String renamed, List<String> files) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String each : files) {
      Path file =
          each.startsWith("~/")
              ? Path.of(System.getProperty("user.home"), each.substring(2))
              : Path.of(each);
      if (each.isEmpty() || !Files.isReadable(file)) {
        continue;
      }
      String found = run(List.of("ssh-keygen", "-F", name, "-f", file.toString()));
      for (String line : found.lines().filter(l -> !l.startsWith("#")).toList()) {
        // A marker such as @cert-authority stands before the names.
        int names = line.startsWith("@") ? 1 : 0;
        String[] words = line.split(" +", -1);
        words[names] = renamed;
        lines.append(String.join(" ", words)).append('\n');
      }
    }
    return lines.toString();
  }

  private static String run(List<String> line) throws IOException {
    Process process =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("%s does not answer.".formatted(line.get(0)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    // Without an entry ssh-keygen fails and prints nothing.
    return said;
  }

  boolean isLoopback() {
    try {
      return InetAddress.getByName(hostname).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
