package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import org.jspecify.annotations.Nullable;

/** The notices that a node's machine itself got: the earliest end that stands counts. */
final class MachineNotices {

  private AgentStatus.@Nullable MachineNotice newest;
  private String source = "";
  private long endMs = Long.MAX_VALUE;
  private boolean last;

  /** Keeps a notice that is certain, unless an earlier end is known. */
  void noticed(AgentInput.Noticed input, long nowMs) {
    long end = nowMs + SupervisedProcess.ms(input.leadSeconds());
    boolean ends = input.certainty() == AgentInput.Certainty.FINAL;
    if (stands() && end >= endMs && !(ends && !last)) {
      return;
    }
    int number = newest == null ? 1 : newest.number() + 1;
    newest =
        new AgentStatus.MachineNotice(number, input.leadSeconds(), reason(input.source()), true);
    source = input.source();
    endMs = end;
    last = last || ends;
  }

  private static String reason(String source) {
    return "its machine got the notice: " + source;
  }

  /** Drops the notice if it came from this source. */
  void withdrawn(String from) {
    AgentStatus.MachineNotice before = newest;
    if (before != null && before.stands() && source.equals(from)) {
      newest =
          new AgentStatus.MachineNotice(
              before.number(), before.leadSeconds(), before.reason(), false);
      endMs = Long.MAX_VALUE;
    }
  }

  private boolean stands() {
    return newest != null && newest.stands();
  }

  /** Returns what the coordinator should know; null before the first notice. */
  AgentStatus.@Nullable MachineNotice status() {
    return newest;
  }

  /** Returns the notice to pass to the process, under a number that no coordinator uses. */
  AgentOrders.@Nullable NoticeOrder order(long nowMs) {
    AgentStatus.MachineNotice now = newest;
    return now == null || !now.stands()
        ? null
        : new AgentOrders.NoticeOrder(-now.number(), Math.max(0, endMs - nowMs) / 1e3);
  }

  /** Returns when the agent must end by itself; the largest number if it need not. */
  long finalMs() {
    return last ? endMs : Long.MAX_VALUE;
  }
}
