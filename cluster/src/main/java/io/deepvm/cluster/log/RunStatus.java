package io.deepvm.cluster.log;

import io.deepvm.base.Money;
import java.util.List;

/**
 * The status of a run according to its log.
 *
 * @param reason of the last change of state
 * @param generation the newest; 0 before the first
 * @param members of the newest generation, by rank
 * @param step the newest one in the log, as are samples and loss
 * @param loss NaN before the first step
 * @param safeStep the last step of a durable checkpoint; 0 when there is none
 * @param lostSteps all that were made and had to be made again
 * @param restarts how often members' own failures made everybody start again
 * @param emulated time and cost of the emulation, which are left out elsewhere
 * @param marketMs until when this is, in the market's time
 * @param atMs until when this is, in milliseconds since 1970
 */
public record RunStatus(
    String run,
    RunPhase state,
    String reason,
    long generation,
    List<String> members,
    List<NodeStatus> nodes,
    long step,
    long samples,
    double loss,
    long safeStep,
    long safeSamples,
    long lostSteps,
    int restarts,
    List<Revoked> revocations,
    Money cost,
    Emulated emulated,
    long startedMs,
    long marketMs,
    long atMs) {

  /** Returns what follows from the events, up to the last of them. */
  public static RunStatus of(List<Logged> events) {
    History history = new History();
    events.forEach(history::add);
    return history.status();
  }

  /** The nodes that are paid for. */
  public List<NodeStatus> held() {
    return nodes.stream().filter(node -> !node.state().isEnd()).toList();
  }

  /** How many nodes were lost, those that were no members yet among them. */
  public long lostNodes() {
    return nodes.stream().filter(node -> node.state() == NodeState.LOST).count();
  }
}
