package io.deepvm.cluster;

import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.wire.AgentLink;
import io.deepvm.cluster.wire.Command;
import java.util.ArrayList;
import java.util.List;
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

  /** Which time to form it has been given; 0 when it has formed, or has said why not. */
  long asked;

  /** Whether its last process was ended because it did not form. */
  boolean unformed;

  /** The generation in which its command is silent. */
  long silent;

  private final List<Command> untold = new ArrayList<>();
  private int suspected;
  private long suspectedIn;

  /** Which of its processes' ends is known; an agent says it again to whoever connects. */
  int ended;

  /** Whether its process ended after a notice, so that it is no member any more. */
  boolean left;

  boolean finished;
  @Nullable String taken;

  Node(Event.Rented rented, long rentedMs) {
    this.rented = rented;
    this.rentedMs = rentedMs;
  }

  /** Returns in how many generations, this one too, it was out of others' reach without a step. */
  int suspectedTimes(long generation) {
    if (generation > suspectedIn) {
      suspectedIn = generation;
      suspected++;
    }
    return suspected;
  }

  /** It takes part. */
  void stepped() {
    suspected = 0;
  }

  /** What its process was told and did is over with it. */
  void processEnded() {
    trains = 0;
    asked = 0;
  }

  String name() {
    return rented.node();
  }

  /** Whether it has a process that can be a member, or may start one. */
  boolean ready() {
    return registration != null && registration.ready() && !left;
  }

  /** Tells its agent, or keeps for it what it must know when it is there. */
  void tell(Command command) {
    if (link != null) {
      link.tell(command);
    } else if (AgentLink.keeps(command)) {
      untold.add(command);
    }
  }

  /** Its agent can be reached from now on. */
  void linked(AgentLink opened) {
    link = opened;
    untold.forEach(opened::tell);
    untold.clear();
  }

  void hangUp() {
    if (link != null) {
      link.close();
    }
  }
}
