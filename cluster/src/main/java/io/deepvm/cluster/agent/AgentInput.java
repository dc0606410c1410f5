package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Report;
import org.jspecify.annotations.Nullable;

/** What happens to a node agent. Processes are numbered from 1, in the order of their start. */
public sealed interface AgentInput {

  /** Calls the visitor's method for this kind of input. */
  void accept(Visitor visitor);

  /** The coordinator sent orders, perhaps the same again. */
  record Ordered(AgentOrders orders) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.ordered(this);
    }
  }

  /** The process runs. */
  record Started(int process) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.started(this);
    }
  }

  /** The process printed a report. */
  record Reported(int process, Report report) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.reported(this);
    }
  }

  /** The process wrote something, if only part of a line. */
  record Wrote(int process) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.wrote(this);
    }
  }

  /**
   * The process is gone with all that it started, or could not be started.
   *
   * @param code of the first process of the node that failed; 0 if all ended well
   * @param tail the end of its standard error
   * @param localRank of the process that failed; null if the node has one process or none failed
   */
  record Ended(int process, int code, String tail, @Nullable Integer localRank)
      implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.ended(this);
    }
  }

  /** The port was free, so that the commands of the generation can meet there. */
  record PortPicked(long generation, int port) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.portPicked(this);
    }
  }

  /**
   * The machine of this node will be taken, as its own cloud or a signal says.
   *
   * @param source where the word comes from, like "aws terminate"
   */
  record Noticed(String source, double leadSeconds, Certainty certainty) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.noticed(this);
    }
  }

  /** How much a notice means. */
  enum Certainty {
    /** The machine is more likely to be taken than before: the state is saved, no more. */
    HINT,
    /** The machine will be taken. */
    CERTAIN,
    /** This process was asked to end; the agent ends itself when the time is over. */
    FINAL
  }

  /** The source withdrew its notice. */
  record Withdrawn(String source) implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.withdrawn(this);
    }
  }

  /** Time passed. */
  record Woke() implements AgentInput {
    @Override
    public void accept(Visitor visitor) {
      visitor.woke(this);
    }
  }

  /** Handles every kind of input. */
  interface Visitor {
    void ordered(Ordered input);

    void started(Started input);

    void reported(Reported input);

    void wrote(Wrote input);

    void ended(Ended input);

    void portPicked(PortPicked input);

    void noticed(Noticed input);

    void withdrawn(Withdrawn input);

    void woke(Woke input);
  }
}
