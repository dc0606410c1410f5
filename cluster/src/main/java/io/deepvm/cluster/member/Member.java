package io.deepvm.cluster.member;

import org.jspecify.annotations.Nullable;

/**
 * One training process of a generation.
 *
 * @param node the node it runs on, a name that is never used again in the run
 * @param host where its port can be reached
 * @param port where it listens to the other members
 * @param place where the node stands: members of the same place are near each other; empty when
 *     nobody says
 */
public record Member(String node, Role role, String host, int port, String place) {

  public Member(String node, Role role, String host, int port, @Nullable String place) {
    this.node = node;
    this.role = role;
    this.host = host;
    this.port = port;
    this.place = place == null ? "" : place;
  }

  /** Makes a member that stands nowhere in particular. */
  public Member(String node, Role role, String host, int port) {
    this(node, role, host, port, "");
  }
}
