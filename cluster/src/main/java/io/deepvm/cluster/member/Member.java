package io.deepvm.cluster.member;

import org.jspecify.annotations.Nullable;

/**
 * One node of a generation, with its training processes.
 *
 * @param node the node it runs on, a name that is never used again in the run
 * @param host where its port can be reached
 * @param port where it listens to the other members
 * @param place where the node stands: members of the same place are near each other; empty when
 *     nobody says
 * @param processes how many training processes the node has, at least 1
 */
public record Member(String node, Role role, String host, int port, String place, int processes) {

  public Member(
      String node, Role role, String host, int port, @Nullable String place, int processes) {
    this.node = node;
    this.role = role;
    this.host = host;
    this.port = port;
    this.place = place == null ? "" : place;
    // Older runs do not say.
    this.processes = Math.max(1, processes);
  }

  /** Makes a member of one process. */
  public Member(String node, Role role, String host, int port, @Nullable String place) {
    this(node, role, host, port, place, 1);
  }

  /** Makes a member that stands nowhere in particular. */
  public Member(String node, Role role, String host, int port) {
    this(node, role, host, port, "");
  }
}
