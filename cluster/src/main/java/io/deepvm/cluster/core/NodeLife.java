package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.member.Role;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One node according to the event log; immutable.
 *
 * @param rented the order
 * @param since when things began
 * @param state where the node is in its life
 * @param machine what the cloud has
 * @param agent what the agent reported; null before its first report
 * @param part what its process does in the newest generation
 * @param process what was ordered of its process, and what became of that
 * @param doubt what speaks against the node
 */
public record NodeLife(
    Event.Rented rented,
    Since since,
    NodeState state,
    Machine machine,
    @Nullable AgentFacts agent,
    Part part,
    ProcessFacts process,
    Doubt doubt) {

  /**
   * When things began.
   *
   * @param rentedMs the order, in milliseconds since 1970
   * @param rentedMarketMs the order, in the market's time
   * @param readyMs when the process last became ready
   */
  public record Since(long rentedMs, long rentedMarketMs, long readyMs) {}

  /**
   * What was ordered of the process, and what became of that.
   *
   * @param start the number of the newest process that the agent may start
   * @param killed the number of the process that must end; 0 for none
   * @param killReason why
   * @param exited the number of the newest process whose end was handled
   * @param warning the notice
   * @param saved the newest step in each state of a checkpoint
   * @param masterPort the rendezvous port that the node offered last; 0 if none
   */
  public record ProcessFacts(
      int start,
      int killed,
      String killReason,
      int exited,
      Warning warning,
      Map<String, Long> saved,
      int masterPort) {

    ProcessFacts withMasterPort(int port) {
      return new ProcessFacts(start, killed, killReason, exited, warning, saved, port);
    }

    ProcessFacts withStart(int number) {
      return new ProcessFacts(number, killed, killReason, exited, warning, saved, masterPort);
    }

    ProcessFacts withKilled(int number, String reason) {
      return new ProcessFacts(start, number, reason, exited, warning, saved, masterPort);
    }

    ProcessFacts withExited(int number) {
      return new ProcessFacts(start, killed, killReason, number, warning, saved, masterPort);
    }

    ProcessFacts withWarning(Warning other) {
      return new ProcessFacts(start, killed, killReason, exited, other, saved, masterPort);
    }

    ProcessFacts withSaved(String level, long step) {
      Map<String, Long> more = new TreeMap<>(saved);
      more.merge(level, step, Math::max);
      return new ProcessFacts(
          start,
          killed,
          killReason,
          exited,
          warning,
          Collections.unmodifiableMap(more),
          masterPort);
    }
  }

  /**
   * The notices of the cloud and of the machine.
   *
   * @param number counts them; 0 before the first
   * @param atMs when the newest came
   * @param leadSeconds of the newest
   * @param machineNotice the number of the machine's own notice; 0 if the newest is the cloud's
   */
  public record Warning(int number, long atMs, double leadSeconds, int machineNotice) {
    static final Warning NONE = new Warning(0, 0, 0, 0);

    Warning next(long ms, double lead, int ofMachine) {
      return new Warning(number + 1, ms, lead, ofMachine);
    }
  }

  /**
   * What speaks against a node.
   *
   * @param suspected in how many generations in a row others could not reach it
   * @param suspectedIn the newest of these generations
   * @param reportedIn the newest generation in which this node itself suspected another
   * @param unformed how often its process was killed because it did not form
   * @param silentIn the generation in which its command prints nothing; 0 if it prints
   */
  public record Doubt(
      int suspected, long suspectedIn, long reportedIn, int unformed, long silentIn) {
    static final Doubt NONE = new Doubt(0, 0, 0, 0, 0);

    Doubt suspectedAgain(long generation) {
      return generation > suspectedIn
          ? new Doubt(suspected + 1, generation, reportedIn, unformed, silentIn)
          : this;
    }

    Doubt reported(long generation) {
      return new Doubt(suspected, suspectedIn, generation, unformed, silentIn);
    }

    Doubt stepped() {
      return suspected == 0 ? this : new Doubt(0, suspectedIn, reportedIn, unformed, silentIn);
    }

    Doubt withUnformed(int times) {
      return new Doubt(suspected, suspectedIn, reportedIn, times, silentIn);
    }

    Doubt withSilent(long generation) {
      return new Doubt(suspected, suspectedIn, reportedIn, unformed, generation);
    }
  }

  /** Returns a node that was just ordered. */
  static NodeLife ordered(Event.Rented rented, long atMs, long marketMs, int start) {
    return new NodeLife(
        rented,
        new Since(atMs, marketMs, 0),
        NodeState.REQUESTED,
        new Machine.Ordered(),
        null,
        new Part.Idle(),
        new ProcessFacts(start, 0, "", 0, Warning.NONE, Map.of(), 0),
        Doubt.NONE);
  }

  /** Returns the name of the node. */
  public String name() {
    return rented.node();
  }

  /** Returns the handle of the machine; null if the cloud has not answered the order. */
  public @Nullable String handle() {
    return machine.handle();
  }

  /** Whether the node counts: it is ordered or there, and not given up. */
  public boolean lives() {
    return !state.isEnd();
  }

  /** Whether the node computes, rather than keeps parameters. */
  public boolean isWorker() {
    return rented.role() == Role.WORKER;
  }

  /** Whether the process can be a member of a generation. */
  public boolean ready() {
    return lives() && agent != null && agent.ready() && !hasDeparted();
  }

  /** Whether the process has reported that all work is done. */
  boolean hasFinished() {
    return part instanceof Part.Finished;
  }

  /** Whether the process ended after a notice. */
  public boolean hasDeparted() {
    return part instanceof Part.Departed;
  }

  /** Whether the process trains in the generation. */
  boolean trainsIn(long generation) {
    boolean trains = part instanceof Part.Joined || part instanceof Part.Finished;
    return trains && part.generation() == generation;
  }

  /** Whether the command ended well in the generation. */
  boolean doneIn(long generation) {
    return part instanceof Part.Done && part.generation() == generation;
  }

  NodeLife with(NodeState other) {
    return new NodeLife(rented, since, other, machine, agent, part, process, doubt);
  }

  NodeLife with(Machine other) {
    return new NodeLife(rented, since, state, other, agent, part, process, doubt);
  }

  NodeLife with(AgentFacts other) {
    return new NodeLife(rented, since, state, machine, other, part, process, doubt);
  }

  NodeLife with(Part other) {
    return new NodeLife(rented, since, state, machine, agent, other, process, doubt);
  }

  NodeLife with(ProcessFacts other) {
    return new NodeLife(rented, since, state, machine, agent, part, other, doubt);
  }

  NodeLife with(Doubt other) {
    return new NodeLife(rented, since, state, machine, agent, part, process, other);
  }

  NodeLife readySince(long atMs) {
    Since later = new Since(since.rentedMs(), since.rentedMarketMs(), atMs);
    return new NodeLife(rented, later, state, machine, agent, part, process, doubt);
  }
}
