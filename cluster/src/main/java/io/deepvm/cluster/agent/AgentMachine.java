package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the agent of a node does, without I/O, threads, clocks or chance. After each input
 * it compares what the coordinator wants with what is so, so a repeated or late input does no harm.
 */
public final class AgentMachine {

  private final String node;
  private final String host;
  private final Work work;
  private final long readyAtMs;
  private final AgentReports reports = new AgentReports();
  private final Inputs inputs = new Inputs();
  private final List<AgentAction> actions = new ArrayList<>();
  private final SupervisedProcess process;
  private final MachineNotices notices = new MachineNotices();
  private final PassedNotice passed;

  private @Nullable AgentOrders orders;
  private long ordersMs;

  /** The newest generation with this node, even if its process does not know of it. */
  private long generation;

  /** Commands: the generation to work in. */
  private AgentOrders.@Nullable Formation joined;

  /** Commands: the newest generation for which a port was asked for, or the command started. */
  private long portFor;

  private long launchedFor;

  /** Why the agent ends as soon as its process has; null while it should live. */
  private @Nullable String leaving;

  private boolean over;
  private long nowMs;
  private AgentStatus status;

  /**
   * Makes the machine of a new agent.
   *
   * @param readyAtMs before which the node is not ready, as a machine that boots
   */
  public AgentMachine(String node, String host, Work work, long readyAtMs, long nowMs) {
    this.node = node;
    this.host = host;
    this.work = work;
    this.readyAtMs = readyAtMs;
    this.ordersMs = nowMs;
    this.nowMs = nowMs;
    this.process = new SupervisedProcess(work, reports, actions::add);
    this.passed = new PassedNotice(work, process, actions::add);
    this.status = current(1);
  }

  /** Handles an input and returns what to do, in this order. The time never goes back. */
  public List<AgentAction> take(AgentInput input, long atMs) {
    if (over) {
      return List.of();
    }
    nowMs = atMs;
    actions.clear();
    input.accept(inputs);
    settle();
    if (!current(status.version()).equals(status)) {
      status = current(status.version() + 1);
    }
    return List.copyOf(actions);
  }

  /** Returns what the coordinator should know now. */
  public AgentStatus status() {
    return status;
  }

  /** Whether the agent has ended. */
  public boolean isOver() {
    return over;
  }

  /** Returns when the machine needs {@link AgentInput.Woke} at the latest. */
  public long nextWakeMs() {
    if (over) {
      return Long.MAX_VALUE;
    }
    long boot = nowMs < readyAtMs ? readyAtMs : Long.MAX_VALUE;
    long work = Math.min(boot, process.nextWakeMs(nowMs));
    return Math.min(work, Math.min(orphanMs(), notices.finalMs()));
  }

  private long orphanMs() {
    return ordersMs + SupervisedProcess.ms(work.timeouts().orphanSeconds());
  }

  /** Notes what an input says; {@link #settle} acts on it. */
  private final class Inputs implements AgentInput.Visitor {

    @Override
    public void ordered(AgentInput.Ordered input) {
      if (orders == null || !input.orders().isOlderThan(orders)) {
        orders = input.orders();
        ordersMs = nowMs;
      }
    }

    @Override
    public void started(AgentInput.Started input) {
      if (process.isThere(input.process()) && process.isUp() && !isMember()) {
        process.ready(0, nowMs);
        reports.launched(process.generation());
      }
    }

    @Override
    public void reported(AgentInput.Reported input) {
      boolean counts = leaving == null || input.report() instanceof Report.Saved;
      if (!process.isThere(input.process()) || !counts) {
        return;
      }
      input.report().accept(reports);
      if (input.report() instanceof Report.Ready ready && isMember()) {
        process.ready(ready.port(), nowMs);
      }
    }

    @Override
    public void wrote(AgentInput.Wrote input) {
      if (process.isThere(input.process())) {
        process.wrote(nowMs);
      }
    }

    @Override
    public void ended(AgentInput.Ended input) {
      if (process.isThere(input.process())) {
        process.ended(input);
      }
    }

    @Override
    public void portPicked(AgentInput.PortPicked input) {
      boolean wanted = joined != null && joined.number() == input.generation();
      if (wanted && reports.cleared() < input.generation()) {
        reports.cleared(input.generation(), input.port());
      }
    }

    @Override
    public void noticed(AgentInput.Noticed input) {
      if (input.certainty() == AgentInput.Certainty.HINT) {
        passed.hint(input.leadSeconds());
      } else {
        notices.noticed(input, nowMs);
      }
    }

    @Override
    public void withdrawn(AgentInput.Withdrawn input) {
      notices.withdrawn(input.source());
    }

    @Override
    public void woke(AgentInput.Woke input) {}
  }

  /** Does all that the newest orders and the time ask for. */
  private void settle() {
    String stuck =
        nowMs >= orphanMs()
            ? "no coordinator for %s s".formatted(work.timeouts().orphanSeconds())
            : process.watch(nowMs);
    if (stuck != null) {
      end(stuck);
      return;
    }
    AgentOrders wanted = orders;
    if (leaving == null && nowMs >= notices.finalMs()) {
      leaving = "the time of the last notice is over";
    } else if (leaving == null && wanted != null) {
      leaving = wanted.stop();
    }
    if (leaving != null) {
      leave(leaving);
      return;
    }
    if (wanted == null) {
      return;
    }
    AgentOrders.NoticeOrder own = notices.order(nowMs);
    passed.pass(own == null ? wanted.notice() : own);
    if (process.isThere(wanted.process().kill())) {
      process.condemn(wanted.process().killReason(), nowMs);
    }
    if (wanted.generation() != null) {
      follow(wanted.generation());
    }
    if (!process.isThere()) {
      launch(wanted.process().start());
    }
  }

  /** Ends the process in order, and then the agent. */
  private void leave(String reason) {
    if (process.isThere()) {
      process.dismiss(reason, nowMs);
    } else {
      end(reason);
    }
  }

  private void end(String reason) {
    if (process.isThere()) {
      actions.add(new AgentAction.Kill(process.started()));
    }
    actions.add(new AgentAction.End(reason));
    over = true;
  }

  private void follow(AgentOrders.Formation next) {
    int rank = next.rank(node);
    if (next.number() <= generation) {
      if (joined != null && joined.number() == next.number()) {
        // It may know the port by now.
        joined = next;
      }
    } else if (rank >= 0) {
      generation = next.number();
      if (isMember()) {
        form(next, rank);
      } else {
        joined = next;
        reports.enterGeneration();
        process.dismiss("the next generation", nowMs);
      }
    } else if (isMember() ? process.generation() > 0 : joined != null) {
      end("generation %d has no place for this node".formatted(next.number()));
    }
  }

  /**
   * Sends the process its generation, unless the generation has another port. In that case it names
   * a process that ended before the coordinator knew.
   */
  private void form(AgentOrders.Formation next, int rank) {
    if (process.port() == next.members().get(rank).port()) {
      process.joined(next.number());
      reports.enterGeneration();
      actions.add(
          new AgentAction.Tell(
              process.started(), new Order.Form(next.number(), rank, next.members())));
    }
  }

  /** Starts a process if there should be one. */
  private void launch(int wantedStarts) {
    AgentOrders.Formation next = joined;
    if (isMember()) {
      if (process.started() < wantedStarts) {
        process.launch(null, nowMs);
      }
    } else if (next != null && reports.cleared() < next.number()) {
      clear(next);
    } else if (next != null && next.masterPort() > 0 && launchedFor < next.number()) {
      launchedFor = next.number();
      process.launch(next, nowMs);
    }
  }

  /** Reports that the old command has ended; the first member needs a port for that. */
  private void clear(AgentOrders.Formation next) {
    if (next.rank(node) > 0) {
      reports.cleared(next.number(), 0);
    } else if (portFor < next.number()) {
      portFor = next.number();
      actions.add(new AgentAction.PickPort(next.number()));
    }
  }

  private boolean isMember() {
    return work.kind() == Work.Kind.MEMBER;
  }

  private AgentStatus current(long version) {
    boolean ready = nowMs >= readyAtMs && (process.port() >= 0 || !isMember());
    int port = ready ? Math.max(0, process.port()) : 0;
    var about = new AgentStatus.TrainingProcess(process.started(), ready, port, reports.exit());
    return new AgentStatus(
        node, version, host, about, reports.barrier(), reports.work(), notices.status());
  }
}
