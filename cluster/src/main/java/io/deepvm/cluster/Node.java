package io.deepvm.cluster;

import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.wire.AgentLink;
import io.deepvm.cluster.wire.Command;
import org.jspecify.annotations.Nullable;

/** What the coordinator knows of one node besides what the log says. */
final class Node {

  final Event.Rented rented;
  final long rentedMs;
  @Nullable Registration registration;
  @Nullable AgentLink link;

  /** The generation in which its process has begun to train. */
  long trains;

  /** The generation in which its process ended well. */
  long done;

  /** The generation whose meeting it missed somebody at. */
  long missed;

  /** Which of its processes' ends is known; an agent says it again to whoever connects. */
  int ended;

  boolean finished;
  boolean gone;
  @Nullable String taken;

  Node(Event.Rented rented, long rentedMs) {
    this.rented = rented;
    this.rentedMs = rentedMs;
  }

  String name() {
    return rented.node();
  }

  boolean ready() {
    return registration != null && registration.ready();
  }

  void tell(Command command) {
    if (link != null) {
      link.tell(command);
    }
  }

  void hangUp() {
    if (link != null) {
      link.close();
    }
  }
}
