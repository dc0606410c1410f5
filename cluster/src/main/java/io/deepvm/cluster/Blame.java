package io.deepvm.cluster;

import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.wire.Command;
import io.deepvm.cluster.wire.Message;
import java.util.List;

/** Finds out whose fault it is when processes end or do not meet. */
final class Blame {

  private static final double CULPRIT_SECONDS = 2;
  private static final int SHOWN_CHARS = 60;

  /** Who is out of reach in so many generations, one after the other, has no place in the next. */
  private static final int MOST_SUSPECTED = 3;

  private static final int CANNOT_EXECUTE = 126;
  private static final int NOT_FOUND = 127;

  private final Coordinator coordinator;
  private final History history;
  private final RunSpec spec;
  private final Journal journal;
  private final Loop loop;
  private final Fleet fleet;
  private final Formation formation;
  private long asks;
  private long steppedNanos = System.nanoTime();

  Blame(Coordinator coordinator) {
    this.coordinator = coordinator;
    history = coordinator.history();
    spec = coordinator.spec();
    journal = coordinator.journal();
    loop = coordinator.loop();
    fleet = coordinator.fleet();
    formation = coordinator.formation();
  }

  /** A node waited in vain for others of its generation. */
  void missed(Node node, long generation) {
    if (generation != history.generation()) {
      return;
    }
    node.missed = generation;
    loop.after(
        CULPRIT_SECONDS,
        () -> {
          if (history.generation() != generation) {
            return;
          }
          List<Node> culprits =
              formation.members().stream()
                  .filter(member -> member.missed != generation && member.trains != generation)
                  .toList();
          if (culprits.isEmpty()) {
            coordinator.failed(node, "its members did not meet in time");
          }
          for (Node culprit : culprits) {
            fleet.lose(culprit, "it did not end its process in time");
          }
        });
  }

  /**
   * A member left its generation because it lost sight of another, or does not know of whom. If
   * that one is there, all of them meet again in the next generation.
   */
  void suspected(Node by, Report.Suspect suspect) {
    journal.write(new Event.Suspected(by.name(), suspect.node(), suspect.reason()));
    if (isCurrent(suspect.generation())) {
      // It is not the one that does not form.
      by.asked = 0;
    }
    Node node = fleet.find(suspect.node());
    if (node == null || !fleet.lives(node)) {
      meetAgain(suspect.generation(), spec.joinSeconds());
      return;
    }
    fleet.look(
        node,
        there -> {
          if (!there) {
            fleet.lose(node, "another member could not reach it, nor could we");
          } else if (isCurrent(suspect.generation())) {
            suspectedWrongly(node, suspect.generation());
          }
        });
  }

  private void suspectedWrongly(Node there, long generation) {
    int times = there.suspectedTimes(generation);
    if (times < MOST_SUSPECTED) {
      // If only its process died its agent says so soon, and that is no reason to lose the node.
      double pause = times == 1 ? spec.joinSeconds() : spec.work().timeouts().sessionSeconds();
      meetAgain(generation, pause);
    } else {
      String how = "members could not reach it in %d generations, one after the other";
      fleet.lose(there, how.formatted(times));
    }
  }

  private void meetAgain(long generation, double pause) {
    loop.after(
        pause,
        () -> {
          if (isCurrent(generation)) {
            formation.anew();
          }
        });
  }

  /** What is said of an older generation was answered by this one; commands are not heard. */
  private boolean isCurrent(long generation) {
    return generation == history.generation() && spec.work().kind() == Work.Kind.MEMBER;
  }

  /** A member is to form: it has so long for it, however many generations pass meanwhile. */
  void asked(Node node) {
    if (node.asked == 0 && spec.work().kind() == Work.Kind.MEMBER) {
      giveTime(node);
    }
  }

  /**
   * A member is still getting its state, if only since an older generation: it has as long again,
   * and so have those who may wait for nothing but that.
   */
  void forming() {
    formation.members().stream().filter(member -> member.asked > 0).forEach(this::giveTime);
  }

  private void giveTime(Node node) {
    long ask = ++asks;
    node.asked = ask;
    loop.after(
        spec.work().timeouts().formSeconds(),
        () -> {
          if (node.asked == ask) {
            node.asked = 0;
            unformed(node);
          }
        });
  }

  /** Its process gets a second chance, then the node counts as lost. */
  private void unformed(Node node) {
    if (history.state() != RunState.FORMING || !formation.isMember(node)) {
      return;
    }
    String why = "did not form within %s s".formatted(spec.work().timeouts().formSeconds());
    if (node.unformed) {
      fleet.lose(node, "its process %s, again".formatted(why));
    } else {
      node.unformed = true;
      node.tell(new Command.Kill("The training process %s.".formatted(why)));
      // An agent that does not obey has no more time than a process that does not form.
      asked(node);
    }
  }

  /** Members make steps. */
  void stepped() {
    steppedNanos = System.nanoTime();
  }

  /**
   * Has the first member started again when nobody has made a step for too long. Members that wait
   * for one another say so before; one that is alone, or waits for nobody, has no one to miss it.
   */
  void watchSteps() {
    double bound = spec.work().timeouts().silenceSeconds();
    if (spec.work().kind() == Work.Kind.MEMBER
        && bound > 0
        && history.state() == RunState.TRAINING
        && System.nanoTime() - steppedNanos > bound * 1e9) {
      stepped();
      formation
          .members()
          .get(0)
          .tell(new Command.Kill("No step was made for %d s.".formatted(Math.round(bound))));
    }
  }

  /**
   * A node's command is silent, or speaks again. Often only the first of them ever speaks, so the
   * work hangs when all are silent that have not ended.
   */
  void silent(Node node, Message.Silent said) {
    long generation = history.generation();
    if (said.generation() != generation) {
      return;
    }
    node.silent = said.silent() ? generation : 0;
    // While the run waits for a node the others wait too, and that is not the work's fault.
    if (said.silent()
        && history.state() == RunState.TRAINING
        && formation.all(member -> member.silent == generation || member.done == generation)) {
      coordinator.failed(
          node,
          "The process '%s' printed nothing for %d s."
              .formatted(shown(), Math.round(spec.work().timeouts().silenceSeconds())));
    }
  }

  /** A node's process has ended. */
  void exited(Node node, Message.Exited exited) {
    if (exited.incarnation() <= node.ended) {
      return;
    }
    node.ended = exited.incarnation();
    journal.write(
        new Event.Exited(
            node.name(), exited.generation(), exited.code(), exited.tail(), exited.localRank()));
    String what = describe(exited);
    boolean command = spec.work().kind() == Work.Kind.COMMAND;
    if (command && exited.generation() != history.generation()) {
      return;
    }
    if (node.finished) {
      return;
    }
    if (history.state(node.name()) == NodeState.NOTICED) {
      // It was told to go, so its end says nothing of the work.
      fleet.leave(node);
      return;
    }
    if (command && exited.code() == 0) {
      node.done = exited.generation();
      if (formation.all(member -> member.done == exited.generation())) {
        coordinator.conclude(RunState.FINISHED, "every process ended with code 0");
      }
    } else if (exited.code() == NOT_FOUND || exited.code() == CANNOT_EXECUTE) {
      coordinator.conclude(RunState.FAILED, what);
    } else if (!command) {
      coordinator.failed(node, what);
    } else {
      // A process fails when another is lost, which may be known only a little later.
      loop.after(
          spec.blameSeconds(),
          () -> {
            boolean allThere = formation.all(m -> fleet.lives(m) && !m.left);
            if (history.generation() == exited.generation() && allThere) {
              coordinator.failed(node, what);
            }
          });
    }
  }

  private String describe(Message.Exited exited) {
    String what =
        exited.code() == NOT_FOUND
            ? "The command '%s' was not found".formatted(spec.work().command().get(0))
            : exited.code() < 0
                ? "The process was ended"
                : "The process '%s' ended with code %d".formatted(shown(), exited.code());
    String where =
        exited.localRank() == null ? "" : " (local rank %d)".formatted(exited.localRank());
    return exited.tail().isEmpty() ? what + where + "." : what + where + ": " + exited.tail();
  }

  private String shown() {
    String command = String.join(" ", spec.work().command());
    return command.length() > SHOWN_CHARS ? command.substring(0, SHOWN_CHARS) + "..." : command;
  }
}
