package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Order;
import org.jspecify.annotations.Nullable;

/** What a node agent wants done. Nothing is done for a process of another number. */
public sealed interface AgentAction {

  /** Calls the visitor's method for this kind of action. */
  void accept(Visitor visitor);

  /**
   * Start the training process. {@link AgentInput.Started} or {@link AgentInput.Ended} answers.
   *
   * @param generation commands: the generation to start for; null for a member
   */
  record Launch(int process, AgentOrders.@Nullable Formation generation) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.launch(this);
    }
  }

  /** Send the member this order. */
  record Tell(int process, Order order) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.tell(this);
    }
  }

  /** Send the command this signal, like TERM. */
  record Signal(int process, String name) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.signal(this);
    }
  }

  /** Ask the process to end, and kill it after this time. {@link AgentInput.Ended} answers. */
  record Stop(int process, String reason, double patienceSeconds) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.stop(this);
    }
  }

  /** Kill the process at once. {@link AgentInput.Ended} answers. */
  record Kill(int process) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.kill(this);
    }
  }

  /** Writes the file by which processes learn of a notice. */
  record WriteNotice(double leadSeconds) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.writeNotice(this);
    }
  }

  /** Deletes the file by which processes learn of a notice. */
  record DeleteNotice() implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.deleteNotice(this);
    }
  }

  /** Find a free port of the node. {@link AgentInput.PortPicked} answers. */
  record PickPort(long generation) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.pickPort(this);
    }
  }

  /** End the agent; no action follows. */
  record End(String reason) implements AgentAction {
    @Override
    public void accept(Visitor visitor) {
      visitor.end(this);
    }
  }

  /** Carries out every kind of action. */
  interface Visitor {
    void launch(Launch action);

    void tell(Tell action);

    void signal(Signal action);

    void stop(Stop action);

    void kill(Kill action);

    void writeNotice(WriteNotice action);

    void deleteNotice(DeleteNotice action);

    void pickPort(PickPort action);

    void end(End action);
  }
}
