package io.deepvm.places.ssh;

import java.io.IOException;

/**
 * A node that is on a host.
 *
 * @param run names its run on the hosts
 * @param processes how many processes it has
 * @param leaseSeconds until it ends itself, if no coordinator renews its lease
 * @param owner who started the run
 */
public record Leftover(
    String host, String run, String node, int processes, long leaseSeconds, String owner) {

  static Leftover of(String host, String line) throws IOException {
    String[] words = line.split(" ", 5);
    // The names come back in commands to other hosts.
    if (words.length == 5 && !(words[0] + words[1]).matches("[A-Za-z0-9._-]+")) {
      throw new IOException("the host has a run with a strange name");
    }
    try {
      return new Leftover(
          host, words[0], words[1], Integer.parseInt(words[2]), Long.parseLong(words[3]), words[4]);
    } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
      throw new IOException("the host answered '%s'".formatted(line), e);
    }
  }
}
