package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The one training process of a node: starts and ends it, and watches its time limits. */
final class SupervisedProcess {

  /** Longest time from the kill of a process until it is gone. */
  private static final long GONE_MS = 6_000;

  private final Work work;
  private final AgentReports reports;
  private final Consumer<AgentAction> actions;
  private ProcessLife life = new ProcessLife.None();
  private int started;

  SupervisedProcess(Work work, AgentReports reports, Consumer<AgentAction> actions) {
    this.work = work;
    this.reports = reports;
    this.actions = actions;
  }

  /** Returns how many processes were started, which is the number of the newest. */
  int started() {
    return started;
  }

  /** Whether a process is there, even one that ends. */
  boolean isThere() {
    return life.isThere();
  }

  /** Whether this process is there; all others are gone. */
  boolean isThere(int process) {
    return process == started && isThere();
  }

  /** Whether the process works, or is about to. */
  boolean isUp() {
    return life.isUp();
  }

  /** Returns the newest generation that the process knows; 0 if it knows none or ends. */
  long generation() {
    return life.generation();
  }

  /** Returns where a member that is ready listens; -1 if no process can work. */
  int port() {
    return life instanceof ProcessLife.Running running ? running.port() : -1;
  }

  /** Starts the next process. */
  void launch(AgentOrders.@Nullable Formation next, long nowMs) {
    if (isThere()) {
      throw new IllegalStateException("Process %d is still there.".formatted(started));
    }
    started++;
    life = new ProcessLife.Launching(next == null ? 0 : next.number(), readyByMs(nowMs));
    actions.accept(new AgentAction.Launch(started, next));
  }

  /** Notes that the process can work: a command runs, a member listens. */
  void ready(int port, long nowMs) {
    life = life.ready(port, nowMs);
  }

  void wrote(long nowMs) {
    if (life instanceof ProcessLife.Running running) {
      life = running.wrote(nowMs);
    }
  }

  /** Notes that a member has received the generation. */
  void joined(long generation) {
    if (life instanceof ProcessLife.Running running) {
      life = running.joined(generation);
    }
  }

  /** Asks the process to end, unless it ends already. */
  void dismiss(String reason, long nowMs) {
    double patience = work.timeouts().stopSeconds();
    if (life.isUp()) {
      actions.accept(new AgentAction.Stop(started, reason, patience));
    }
    life = life.dismissed(nowMs + ms(patience) + GONE_MS);
  }

  /** Kills a process that does not do what it should, and reports the reason as its end. */
  void condemn(String reason, long nowMs) {
    if (life.isUp()) {
      actions.accept(new AgentAction.Kill(started));
      life = new ProcessLife.Condemned(life.generation(), reason, nowMs + GONE_MS);
    }
  }

  /** Notes that the process is gone, and reports it unless the agent had asked for it. */
  void ended(AgentInput.Ended input) {
    AgentStatus.Exit exit = life.exit(started, input);
    if (exit != null) {
      reports.ended(exit);
    }
    life = new ProcessLife.None();
  }

  /** Returns why the agent must end; null if the process is within its limits. */
  @Nullable String watch(long nowMs) {
    if (life instanceof ProcessLife.Running running && silenceMs() > 0) {
      boolean silent = nowMs - running.wroteMs() >= silenceMs();
      reports.silent(silent ? running.generation() : 0);
    }
    if (nowMs < life.limitMs()) {
      return null;
    }
    if (life.isUp()) {
      condemn(
          "The training process did not get ready within %s s."
              .formatted(work.timeouts().readySeconds()),
          nowMs);
      return null;
    }
    return "the process %d does not end".formatted(started);
  }

  /** Returns when the next limit of the process is reached; the largest number if it has none. */
  long nextWakeMs(long nowMs) {
    if (life instanceof ProcessLife.Running running && silenceMs() > 0) {
      long silentAt = running.wroteMs() + silenceMs();
      return silentAt > nowMs ? silentAt : Long.MAX_VALUE;
    }
    return life.limitMs();
  }

  /** A command is started or has failed within the same moment. */
  private long readyByMs(long nowMs) {
    return nowMs + ms(work.timeouts().readySeconds());
  }

  private long silenceMs() {
    return work.kind() == Work.Kind.COMMAND ? ms(work.timeouts().silenceSeconds()) : 0;
  }

  static long ms(double seconds) {
    return Math.round(seconds * 1000);
  }
}
