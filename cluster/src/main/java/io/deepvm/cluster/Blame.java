package io.deepvm.cluster;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.wire.Message;
import java.util.List;

/** Finds out whose fault it is when processes end or do not meet. */
final class Blame {

  private static final double CULPRIT_SECONDS = 2;
  private static final int SHOWN_CHARS = 60;
  private static final int CANNOT_EXECUTE = 126;
  private static final int NOT_FOUND = 127;

  private final Coordinator coordinator;
  private final History history;
  private final RunSpec spec;

  Blame(Coordinator coordinator) {
    this.coordinator = coordinator;
    history = coordinator.history();
    spec = coordinator.spec();
  }

  /** A node waited in vain for others of its generation. */
  void missed(Node node, long generation) {
    if (generation != history.generation()) {
      return;
    }
    node.missed = generation;
    coordinator.after(
        CULPRIT_SECONDS,
        () -> {
          if (history.generation() != generation) {
            return;
          }
          List<Node> culprits =
              coordinator.members().stream()
                  .filter(member -> member.missed != generation && member.trains != generation)
                  .toList();
          if (culprits.isEmpty()) {
            coordinator.failed(node, "its members did not meet in time");
          }
          for (Node culprit : culprits) {
            coordinator.lose(culprit, "it did not end its process in time");
          }
        });
  }

  /** A node's process has ended. */
  void exited(Node node, Message.Exited exited) {
    if (exited.incarnation() <= node.ended) {
      return;
    }
    node.ended = exited.incarnation();
    coordinator.log(
        new Event.Exited(node.name(), exited.generation(), exited.code(), exited.tail()));
    String what = describe(exited);
    boolean command = spec.work().kind() == Work.Kind.COMMAND;
    if (command && exited.generation() != history.generation()) {
      return;
    }
    if (node.finished || history.state(node.name()) == NodeState.NOTICED) {
      // It was told to go, so its end says nothing of the work.
      return;
    }
    if (command && exited.code() == 0) {
      node.done = exited.generation();
      if (coordinator.all(member -> member.done == exited.generation())) {
        coordinator.conclude(RunState.FINISHED, "every process ended with code 0");
      }
    } else if (exited.code() == NOT_FOUND || exited.code() == CANNOT_EXECUTE) {
      coordinator.conclude(RunState.FAILED, what);
    } else if (!command) {
      coordinator.failed(node, what);
    } else {
      // A process fails when another is lost, which may be known only a little later.
      coordinator.after(
          spec.blameSeconds(),
          () -> {
            boolean allLive = coordinator.all(coordinator::lives);
            if (history.generation() == exited.generation() && allLive) {
              coordinator.failed(node, what);
            }
          });
    }
  }

  private String describe(Message.Exited exited) {
    String command = String.join(" ", spec.work().command());
    if (command.length() > SHOWN_CHARS) {
      command = command.substring(0, SHOWN_CHARS) + "...";
    }
    String what =
        exited.code() == NOT_FOUND
            ? "The command '%s' was not found".formatted(spec.work().command().get(0))
            : exited.code() < 0
                ? "The process did not start"
                : "The process '%s' ended with code %d".formatted(command, exited.code());
    return exited.tail().isEmpty() ? what + "." : what + ": " + exited.tail();
  }
}
