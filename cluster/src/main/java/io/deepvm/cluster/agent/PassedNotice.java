package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Order;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The notice that the training process was given: by an order or a signal, and by a file. */
final class PassedNotice {

  private final Work work;
  private final SupervisedProcess process;
  private final Consumer<AgentAction> actions;
  private AgentOrders.@Nullable NoticeOrder passed;

  PassedNotice(Work work, SupervisedProcess process, Consumer<AgentAction> actions) {
    this.work = work;
    this.process = process;
    this.actions = actions;
  }

  /** Passes a notice on if the process does not have it yet; null takes it back. */
  void pass(AgentOrders.@Nullable NoticeOrder wanted) {
    AgentOrders.NoticeOrder known = passed;
    passed = wanted;
    if (wanted == null && known != null) {
      actions.accept(new AgentAction.DeleteNotice());
    } else if (wanted != null && (known == null || known.number() != wanted.number())) {
      actions.accept(new AgentAction.WriteNotice(wanted.leadSeconds()));
      if (process.isUp()) {
        warn(wanted.leadSeconds());
      }
    }
  }

  /** Lets a member save because its machine is more likely to be taken than before. */
  void hint(double leadSeconds) {
    if (process.isUp() && work.kind() == Work.Kind.MEMBER) {
      warn(leadSeconds);
    }
  }

  private void warn(double leadSeconds) {
    if (work.kind() == Work.Kind.MEMBER) {
      actions.accept(new AgentAction.Tell(process.started(), new Order.Notice(leadSeconds)));
    } else if (!work.noticeSignal().isEmpty()) {
      actions.accept(new AgentAction.Signal(process.started(), work.noticeSignal()));
    }
  }
}
