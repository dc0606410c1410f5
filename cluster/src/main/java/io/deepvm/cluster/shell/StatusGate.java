package io.deepvm.cluster.shell;

import io.deepvm.cluster.link.AgentStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Limits how often steps are logged. A status with nothing new but a step waits until its time has
 * come, or until another input makes the order of events matter.
 */
final class StatusGate {

  /** The shortest time between two logged steps. */
  static final long PAUSE_MS = 250;

  private final Map<String, AgentStatus> passed = new LinkedHashMap<>();
  private final Map<String, AgentStatus> held = new LinkedHashMap<>();
  private long passedMs;

  /** Returns whether the status must be taken now; else it is held, or dropped as out of date. */
  boolean passes(AgentStatus status, long nowMs) {
    AgentStatus before = passed.get(status.node());
    AgentStatus newest = held.getOrDefault(status.node(), before);
    if (newest != null && status.version() < newest.version()) {
      return false;
    }
    boolean pause = nowMs >= passedMs && nowMs - passedMs < PAUSE_MS;
    if (before != null && pause && isOnlyStep(before, status)) {
      held.put(status.node(), status);
      return false;
    }
    note(status, nowMs);
    return true;
  }

  private void note(AgentStatus status, long nowMs) {
    AgentStatus before = passed.put(status.node(), status);
    boolean stepped = before == null || !Objects.equals(step(before), step(status));
    passedMs = stepped ? nowMs : passedMs;
  }

  private static Object step(AgentStatus status) {
    return Optional.ofNullable(status.work().step());
  }

  private static boolean isOnlyStep(AgentStatus before, AgentStatus now) {
    return !step(before).equals(step(now)) && withoutStep(before).equals(withoutStep(now));
  }

  /** Returns all of a status that is worth an event at once. */
  private static AgentStatus withoutStep(AgentStatus status) {
    AgentStatus.Work work = status.work();
    return new AgentStatus(
        status.node(),
        0,
        status.host(),
        status.process(),
        status.barrier(),
        new AgentStatus.Work(null, work.saved(), work.finished(), work.silent()),
        status.notice());
  }

  /** Returns what is held, which counts as taken from now on. */
  List<AgentStatus> release(long nowMs) {
    List<AgentStatus> all = new ArrayList<>(held.values());
    held.clear();
    all.forEach(status -> note(status, nowMs));
    return all;
  }

  /** Whether something is held. */
  boolean holds() {
    return !held.isEmpty();
  }
}
